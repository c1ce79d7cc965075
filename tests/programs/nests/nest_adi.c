// Alternating directions: recurrences along columns, then along rows, in every step.
#include "nest.h"

static void adi(int steps, int n, unsigned u[n][n], unsigned v[n][n], unsigned p[n][n],
                unsigned q[n][n])
{
    #pragma acc kernels copy(u[0:n][0:n], v[0:n][0:n], p[0:n][0:n], q[0:n][0:n])
    for (int t = 1; t <= steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = 3 * p[i][j - 1] + 7;
                q[i][j] = u[j][i - 1] + 2 * u[j][i] + u[j][i + 1] + q[i][j - 1] * p[i][j];
            }
            v[n - 1][i] = 1;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = 5 * p[i][j - 1] + 3;
                q[i][j] = v[i - 1][j] + 2 * v[i][j] + v[i + 1][j] + q[i][j - 1] * p[i][j];
            }
            u[i][n - 1] = 1;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

static unsigned u[MOST * MOST], v[MOST * MOST], p[MOST * MOST], q[MOST * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, u, 1);
        fill(n * n, v, 2);
        fill(n * n, p, 3);
        fill(n * n, q, 4);
        adi(2, n, (void *)u, (void *)v, (void *)p, (void *)q);
        show("u", n, n * n, u);
        show("v", n, n * n, v);
    }
    return 0;
}
