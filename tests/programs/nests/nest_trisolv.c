// Forward substitution: each unknown needs those before it.
#include "nest.h"

static void trisolv(int n, unsigned l[n][n], unsigned x[n], unsigned b[n])
{
    #pragma acc kernels copyin(l[0:n][0:n], b[0:n]) copy(x[0:n])
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] * (2 * l[i][i] + 1);
    }
}

static unsigned l[MOST * MOST], x[MOST], b[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, l, 1);
        fill(n, b, 2);
        fill(n, x, 3);
        trisolv(n, (void *)l, x, b);
        show("trisolv", n, n, x);
    }
    return 0;
}
