// Every row goes through one array that each iteration overwrites.
#include "nest.h"

static void doitgen(int r, int q, int p, unsigned a[r][q][p], unsigned c[p][p], unsigned sum[p])
{
    #pragma acc kernels copy(a[0:r][0:q][0:p], sum[0:p]) copyin(c[0:p][0:p])
    for (int i = 0; i < r; i++)
        for (int j = 0; j < q; j++) {
            for (int k = 0; k < p; k++) {
                sum[k] = 0;
                for (int s = 0; s < p; s++)
                    sum[k] += a[i][j][s] * c[s][k];
            }
            for (int k = 0; k < p; k++)
                a[i][j][k] = sum[k];
        }
}

static unsigned a[5 * 6 * MOST], c[MOST * MOST], sum[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(5 * 6 * n, a, 1);
        fill(n * n, c, 2);
        fill(n, sum, 3);
        doitgen(5, 6, n, (void *)a, (void *)c, sum);
        show("doitgen", n, 5 * 6 * n, a);
        show("sum", n, n, sum);
        doitgen(n, 1, 5, (void *)a, (void *)c, sum);
        show("rows", n, n * 5, a);
        show("sum", n, 5, sum);
    }
    return 0;
}
