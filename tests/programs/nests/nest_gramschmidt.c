// Columns are made apart one after the other.
#include "nest.h"

static void gramschmidt(int m, int n, unsigned a[m][n], unsigned r[n][n], unsigned q[m][n])
{
    #pragma acc kernels copy(a[0:m][0:n], r[0:n][0:n], q[0:m][0:n])
    for (int k = 0; k < n; k++) {
        unsigned norm = 0;
        for (int i = 0; i < m; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = 2 * norm + 1;
        for (int i = 0; i < m; i++)
            q[i][k] = a[i][k] * r[k][k];
        for (int j = k + 1; j < n; j++) {
            r[k][j] = 0;
            for (int i = 0; i < m; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < m; i++)
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
        }
    }
}

static unsigned a[MOST * MOST], r[MOST * MOST], q[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n * n, r, 2);
        fill(n * n, q, 3);
        gramschmidt(n, n, (void *)a, (void *)r, (void *)q);
        show("a", n, n * n, a);
        show("r", n, n * n, r);
        show("q", n, n * n, q);
    }
    return 0;
}
