/* No pragma: stencils in two and three dimensions, arrays of variable length. */
#include "../nests/nest.h"

static void plane(int n, int m, unsigned (*restrict a)[m], unsigned (*restrict b)[m])
{
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = b[i][j];
    }
}

static void run(int n)
{
    int m = n + 2;
    unsigned a[n + 1][m], b[n + 1][m], c[4][4][n + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] = (unsigned)(i * 7 + j);
            b[i][j] = (unsigned)(i ^ j);
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k <= n; k++)
                c[i][j][k] = (unsigned)(i + j * 3 + k * 5);
    plane(n + 1, m, a, b);
    for (int i = 1; i < 3; i++)
        for (int j = 1; j < 3; j++)
            for (int k = 1; k < n; k++)
                c[i][j][k] = c[i - 1][j][k] + c[i][j + 1][k] + c[0][j][k - 1];
    /* In place, from upper left to lower right. */
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            b[i][j] = b[i - 1][j] + b[i][j - 1] + b[i - 1][j - 1];
    show("a", n, (n + 1) * m, &a[0][0]);
    show("b", n, (n + 1) * m, &b[0][0]);
    show("c", n, 16 * (n + 1), &c[0][0][0]);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
