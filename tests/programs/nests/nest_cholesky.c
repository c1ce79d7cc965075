// A symmetric elimination of one triangle; squares stand for roots.
#include "nest.h"

static void cholesky(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] *= 2 * a[j][j] + 1;
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = a[i][i] * a[i][i];
    }
}

static unsigned a[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        cholesky(n, (void *)a);
        show("cholesky", n, n * n, a);
    }
    return 0;
}
