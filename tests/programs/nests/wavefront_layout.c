// Stencils in place, over time: wavefronts, for which arrays are laid out anew. Neighbours in a cross leave corners that nobody
// touches and no section holds; sweeps that do not run at all touch nothing.
#include <stdlib.h>
#include "nest.h"

static void cross(int steps, int n, int m, unsigned *restrict a)
{
    #pragma acc kernels
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = a[(i - 1) * m + j] + 3 * a[i * m + j - 1] + a[i * m + j] + 5 * a[i * m + j + 1] +
                               a[(i + 1) * m + j];
}

static void weighted(int steps, int n, unsigned (*a)[n], unsigned (*w)[n])
{
    #pragma acc kernels
    for (int t = 0; t < steps; t++)
        for (int i = 2; i < n; i++)
            for (int j = 1; j < n; j++)
                a[i][j] = a[i - 2][j] + w[i][j] * a[i][j - 1] + a[i - 1][j - 1];
}

static void space(int steps, int n, unsigned a[n][n][n])
{
    #pragma acc kernels copy(a[0:n][0:n][0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    a[i][j][k] = a[i - 1][j][k] + a[i][j - 1][k] + 3 * a[i][j][k - 1] + a[i][j][k] + a[i][j][k + 1] +
                                 a[i][j + 1][k] + 7 * a[i + 1][j][k];
}

// Backwards, in part of the rows, of which the program names the section.
static void backwards(int steps, int from, int to, int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[from:to - from])
    for (int t = 0; t < steps; t++)
        for (int i = from; i < to - 1; i++)
            for (int j = 0; j < n - 1; j++)
                a[i][j] = a[i + 1][j] + 3 * a[i][j + 1] + a[i][j];
}

// Two arrays, each laid out by its own subscripts.
static void two(int steps, int n, unsigned a[n][n], unsigned b[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                a[i][j] += b[j][i] + a[i - 1][j] + a[i][j - 1];
}

// Read by rows and by columns: no layout has neighbours for both, and it stays as it is.
static void mixed(int steps, int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < i; j++)
                a[i][j] += a[j][i] + a[i - 1][j] + 3 * a[i][j - 1];
}

static unsigned a[MOST * MOST], b[MOST * MOST], c[18 * 18 * 18];

int main(void)
{
    EACH_SIZE(n)
    {
        for (int steps = 0; steps <= 5; steps += 5)
        {
            fill(n * n, a, 1);
            cross(steps, n, n, a);
            show("cross", n, n * n, a);
            fill(n * n, a, 2);
            cross(steps, n / 2, n, a);
            show("cross of half the rows", n, n * n, a);
            fill(n * n, a, 3);
            fill(n * n, b, 4);
            weighted(steps, n, (void *)a, (void *)b);
            show("weighted", n, n * n, a);
            fill(n * n, a, 7);
            weighted(steps, n, (void *)a, (void *)a);
            show("weighted by itself", n, n * n, a);
            if (n <= 18)
            {
                fill(n * n * n, c, 5);
                space(steps, n, (void *)c);
                show("space", n, n * n * n, c);
            }
            if (n >= 4)
            {
                fill(n * n, a, 6);
                backwards(steps, n / 4, n / 2, n, (void *)a);
                show("backwards", n, n * n, a);
            }
            fill(n * n, a, 8);
            fill(n * n, b, 9);
            two(steps, n, (void *)a, (void *)b);
            show("two", n, n * n, a);
            fill(n * n, a, 10);
            mixed(steps, n, (void *)a);
            show("mixed", n, n * n, a);
        }
    }
    return 0;
}
