/* No pragma: a loop over time whose steps are nests, and a host that looks now and then. */
#include "../nests/nest.h"

static void smooth(int n, unsigned *a, unsigned *b)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
    for (int i = 1; i < n - 1; i++)
        a[i] = b[i] >> 1;
}

static void run(int n)
{
    unsigned a[MOST + 1], b[MOST + 1];
    fill(MOST + 1, a, 5);
    fill(MOST + 1, b, 6);
    for (int t = 0; t < 6; t++) {
        smooth(n, a, b);
        if (t % 3 == 2)
            printf("step %d: %u\n", t, a[n / 2]);
    }
    /* The host changes one element between two steps. */
    a[n / 2] += 100;
    smooth(n, a, b);
    show("time", n, MOST + 1, a);
    show("time", n, MOST + 1, b);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
