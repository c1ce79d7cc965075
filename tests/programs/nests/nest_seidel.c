// A stencil in place: each element needs neighbours of this sweep and of the one before.
#include "nest.h"

static void seidel(int steps, int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 1; i <= n - 2; i++)
            for (int j = 1; j <= n - 2; j++)
                a[i][j] = a[i - 1][j - 1] + 2 * a[i - 1][j] + a[i - 1][j + 1] + 3 * a[i][j - 1] +
                          a[i][j] + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] +
                          5 * a[i + 1][j + 1];
}

static unsigned a[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        seidel(3, n, (void *)a);
        show("seidel", n, n * n, a);
    }
    return 0;
}
