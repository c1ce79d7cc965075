/* No pragma: loops that are left early, gone round, or jumped into. */
#include "../nests/nest.h"

static int find(int n, const unsigned *a, unsigned what)
{
    for (int i = 0; i < n; i++)
        if (a[i] == what)
            return i;
    return -1;
}

static void until(int n, unsigned *a)
{
    for (int i = 0; i < n; i++) {
        if (a[i] % 11 == 0)
            break;
        a[i] += 7;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] % 3 == 0)
            continue;
        a[i] *= 5;
    }
}

static unsigned jump(int n, unsigned *a)
{
    unsigned s = 0;
    int i = 0;
again:
    for (; i < n; i++) {
        if (a[i] > 3000) {
            a[i] = 1;
            goto again;
        }
        s += a[i];
    }
    switch (n % 3) {
    case 0:
        for (int j = 0; j < n; j++)
            a[j] += 1;
        break;
    case 1:
        for (int j = 0; j < n; j++)
            a[j] += 2;
        /* fall through */
    default:
        a[0] ^= s;
        for (int j = 0; j < n; j++)
            a[j] += 3;
    }
    return s + a[0];
}

static void collatz(int n, unsigned *a)
{
    for (int i = 0; i < n; i++) {
        unsigned x = a[i] + 1, steps = 0;
        while (x != 1 && steps < 50) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            steps++;
        }
        a[i] = steps;
    }
}

static void run(int n)
{
    unsigned a[MOST + 1];
    fill(MOST + 1, a, 41);
    printf("%d %d\n", find(n, a, a[n / 2]), find(n, a, 99999));
    until(n, a);
    printf("%u\n", jump(n, a));
    show("a", n, MOST + 1, a);
    collatz(n, a);
    show("steps", n, MOST + 1, a);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
