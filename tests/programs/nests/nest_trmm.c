// A triangular product in place: rows wait for rows below them, columns for nothing.
#include "nest.h"

static void trmm(int m, int n, unsigned alpha, unsigned a[m][m], unsigned b[m][n])
{
    #pragma acc kernels copyin(a[0:m][0:m]) copy(b[0:m][0:n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] = alpha * b[i][j];
        }
}

static unsigned a[MOST * MOST], b[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n * n, b, 2);
        trmm(n, n, 3, (void *)a, (void *)b);
        show("trmm", n, n * n, b);
    }
    return 0;
}
