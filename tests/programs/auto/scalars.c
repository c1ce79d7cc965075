/* No pragma: numbers that nests compute, read and carry, whose addresses are known, or whose last value counts. */
#include "../nests/nest.h"

static unsigned state = 7;

static void add(int n, const unsigned *a, unsigned *sum)
{
    for (int i = 0; i < n; i++)
        *sum += a[i];
}

static void run(int n)
{
    unsigned a[MOST + 1], last = 3, sum = 0, t, carry = 1;
    int i;
    fill(MOST + 1, a, 111);
    for (i = 0; i < n; i++) {
        t = a[i] * 2;
        a[i] = t + 1;
        last = t;
    }
    printf("%d %u\n", i, last);
    add(n, a, &sum);
    add(n, a, &state);
    for (int k = 0; k < n; k++) {
        carry = carry * 5 + a[k];
        a[k] = carry;
    }
    unsigned *p = &sum;
    for (int k = 0; k < n; k++)
        a[k] += *p;
    for (int k = 0; k < 1; k++)
        p[k] += a[0];
    sum += 2;
    for (int k = 0; k < n; k++)
        a[k] += sum;
    _Bool any = 0;
    for (int k = 0; k < n; k++)
        any |= a[k] % 7 == 0;
    printf("%u %u %u %d\n", sum, state, carry, any);
    show("a", n, MOST + 1, a);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
