// The best of all ways to split a stretch in two: stretches wait for shorter ones.
#include "nest.h"

#define MAX(a, b) ((a) >= (b) ? (a) : (b))

static void nussinov(int n, unsigned kind[n], unsigned best[n][n])
{
    #pragma acc kernels copyin(kind[0:n]) copy(best[0:n][0:n])
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            if (j - 1 >= 0)
                best[i][j] = MAX(best[i][j], best[i][j - 1]);
            if (i + 1 < n)
                best[i][j] = MAX(best[i][j], best[i + 1][j]);
            if (j - 1 >= 0 && i + 1 < n) {
                if (i < j - 1)
                    best[i][j] =
                        MAX(best[i][j], best[i + 1][j - 1] + (kind[i] + kind[j] == 3 ? 1 : 0));
                else
                    best[i][j] = MAX(best[i][j], best[i + 1][j - 1]);
            }
            for (int k = i + 1; k < j; k++)
                best[i][j] = MAX(best[i][j], best[i][k] + best[k + 1][j]);
        }
}

static unsigned kind[MOST], best[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n, kind, 1);
        for (int i = 0; i < n; i++)
            kind[i] %= 4;
        for (int i = 0; i < n * n; i++)
            best[i] = 0;
        nussinov(n, kind, (void *)best);
        show("nussinov", n, n * n, best);
    }
    return 0;
}
