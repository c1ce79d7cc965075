// Elimination without pivots, written row by row; multiplication stands for division, which wraps.
#include "nest.h"

static void lu(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] *= 2 * a[j][j] + 1;
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

static unsigned a[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        lu(n, (void *)a);
        show("lu", n, n * n, a);
    }
    return 0;
}
