// Elimination with sums in scalars, and both substitutions behind it.
#include "nest.h"

static void solve(int n, unsigned a[n][n], unsigned b[n], unsigned x[n], unsigned y[n])
{
    #pragma acc kernels copy(a[0:n][0:n], x[0:n], y[0:n]) copyin(b[0:n])
    {
        unsigned w;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                w = a[i][j];
                for (int k = 0; k < j; k++)
                    w -= a[i][k] * a[k][j];
                a[i][j] = w * (2 * a[j][j] + 1);
            }
            for (int j = i; j < n; j++) {
                w = a[i][j];
                for (int k = 0; k < i; k++)
                    w -= a[i][k] * a[k][j];
                a[i][j] = w;
            }
        }
        for (int i = 0; i < n; i++) {
            w = b[i];
            for (int j = 0; j < i; j++)
                w -= a[i][j] * y[j];
            y[i] = w;
        }
        for (int i = n - 1; i >= 0; i--) {
            w = y[i];
            for (int j = i + 1; j < n; j++)
                w -= a[i][j] * x[j];
            x[i] = w * (2 * a[i][i] + 1);
        }
    }
}

static unsigned a[MOST * MOST], b[MOST], x[MOST], y[MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n, b, 2);
        fill(n, x, 3);
        fill(n, y, 4);
        solve(n, (void *)a, b, x, y);
        show("a", n, n * n, a);
        show("y", n, n, y);
        show("x", n, n, x);
    }
    return 0;
}
