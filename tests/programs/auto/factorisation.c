/* No pragma: elimination without pivots, in true 2-D arrays and in rows written out. */
#include "../nests/nest.h"

static void eliminate(int n, unsigned a[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            a[i][k] *= 3u;
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

static void substitute(int n, const unsigned *a, unsigned *x)
{
    for (int i = 0; i < n; i++) {
        unsigned s = x[i];
        for (int j = 0; j < i; j++)
            s -= a[i * n + j] * x[j];
        x[i] = s;
    }
}

static void run(int n)
{
    unsigned store[MOST * MOST + 1], x[MOST + 1];
    fill(MOST * MOST + 1, store, 11);
    fill(MOST + 1, x, 12);
    if (n > 0)
        eliminate(n, (unsigned (*)[n])store);
    substitute(n, store, x);
    show("a", n, MOST * MOST + 1, store);
    show("x", n, MOST + 1, x);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
