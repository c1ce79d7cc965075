// Reductions in a row that start from what the one before has left.
#include "nest.h"

static void chained(int n, unsigned a[n][n], unsigned b[n][n], unsigned *restrict x)
{
    #pragma acc kernels copyin(a[0:n][0:n], b[0:n][0:n]) copy(x[0:n])
    for (int i = 0; i < n; i++) {
        unsigned most = 0;
        for (int j = 0; j < i; j++)
            most = a[i][j] > most ? a[i][j] : most;
        unsigned sum = most;
        for (int j = 0; j < i; j++)
            sum += b[i][j];
        unsigned product = sum | 1;
        for (int j = 0; j < n; j++)
            product *= a[i][j] | 1;
        x[i] = product + sum;
    }
}

static unsigned a[MOST * MOST], b[MOST * MOST], x[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n * n, b, 2);
        fill(n, x, 3);
        chained(n, (void *)a, (void *)b, x);
        show("chained", n, n, x);
    }
    return 0;
}
