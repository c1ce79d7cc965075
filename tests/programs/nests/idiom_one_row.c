// All that iterations hand to each other goes through one of them.
#include "nest.h"

static void eliminate(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (i != k)
                for (int j = 0; j < n; j++)
                    a[i][j] -= a[i][k] * a[k][j];
}

// Unlike for shortest ways, row and column k change while they are read.
static void grow(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] += 3 * a[i][k] * a[k][j] + 1;
}

static void by_first(int n, unsigned x[n])
{
    #pragma acc kernels copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] = x[i] * x[0] + 5;
}

static void by_last(int n, unsigned x[n + 40])
{
    #pragma acc kernels copy(x[0:n + 40])
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n + 40; i++)
            x[i] = x[i] * 7 + x[37 - k];
}

static unsigned a[MOST * MOST], x[MOST * MOST + 40];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        eliminate(n, (void *)a);
        show("eliminate", n, n * n, a);
        grow(n, (void *)a);
        show("grow", n, n * n, a);
        fill(n + 40, x, 2);
        by_first(n, x);
        show("by_first", n, n, x);
        by_last(n, x);
        show("by_last", n, n + 40, x);
    }
    return 0;
}
