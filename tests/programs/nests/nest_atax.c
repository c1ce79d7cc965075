// A matrix and its transpose times a vector in one loop over rows: two products after distribution.
#include "nest.h"

static void atax(int m, int n, unsigned a[m][n], unsigned x[n], unsigned y[n], unsigned row[m])
{
    #pragma acc kernels copyin(a[0:m][0:n], x[0:n]) copy(y[0:n], row[0:m])
    {
        for (int i = 0; i < n; i++)
            y[i] = 0;
        for (int i = 0; i < m; i++) {
            row[i] = 0;
            for (int j = 0; j < n; j++)
                row[i] = row[i] + a[i][j] * x[j];
            for (int j = 0; j < n; j++)
                y[j] = y[j] + a[i][j] * row[i];
        }
    }
}

static unsigned a[MOST * (MOST + 3)], x[MOST + 3], y[MOST + 3], row[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * (n + 3), a, 1);
        fill(n + 3, x, 2);
        fill(n + 3, y, 3);
        fill(n, row, 4);
        atax(n, n + 3, (void *)a, x, y, row);
        show("atax", n, n + 3, y);
        show("rows", n, n, row);
    }
    return 0;
}
