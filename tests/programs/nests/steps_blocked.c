// Stencils over time, each of which a launch can do several steps of: both ways round, with a copy back, in one dimension, with a
// third array. tests/tests/plans.rs does them so for all sizes, and compares every bit.
#include <stdio.h>
#include <stdlib.h>

static void both(int steps, int n, int m, float a[restrict n][m], float b[restrict n][m])
{
    #pragma acc kernels copy(a[0:n][0:m], b[0:n][0:m])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = 0.2f * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = 0.2f * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
    }
}

static void back(int steps, int n, int m, const float *restrict p, float *restrict a, float *restrict b)
{
    #pragma acc kernels copyin(p[0:n * m]) copy(a[0:n * m], b[0:n * m])
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n - 1; i++)
            for (int j = 1; j < m - 2; j++)
                b[i * m + j] = a[i * m + j] + 0.125f * (a[(i - 2) * m + j + 2] - a[(i + 1) * m + j - 1]) + p[i * m + j];
        for (int i = 2; i < n - 1; i++)
            for (int j = 1; j < m - 2; j++)
                a[i * m + j] = b[i * m + j];
    }
}

static void line(int steps, int n, double *a, double *b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 3; t < steps + 3; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}

static void show(const char *what, int n, int m, int steps, const void *a, const void *b, size_t bytes)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + ((const unsigned char *)a)[i] * 7 + ((const unsigned char *)b)[i];
    printf("%s %dx%d, %d steps: %lx\n", what, n, m, steps, sum);
}

int main(void)
{
    int sizes[][2] = {{0, 0}, {1, 1}, {3, 5}, {5, 97}, {37, 41}, {61, 130}};
    int steps[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13};
    for (int k = 0; k < 6; k++)
        for (int s = 0; s < 10; s++) {
            int n = sizes[k][0], m = sizes[k][1], count = n * m;
            float *a = malloc(count * 4 + 4), *b = malloc(count * 4 + 4), *p = malloc(count * 4 + 4);
            double *x = malloc(count * 8 + 8), *y = malloc(count * 8 + 8);
            for (int i = 0; i < count; i++) {
                a[i] = i * 37 % 101 * 0.3f, b[i] = i * 31 % 103 * 0.7f, p[i] = i % 7 * 0.1f;
                x[i] = i * 29 % 107 * 0.3, y[i] = i * 23 % 109 * 0.7;
            }
            both(steps[s], n, m, (void *)a, (void *)b);
            show("both", n, m, steps[s], a, b, count * 4);
            back(steps[s], n, m, p, a, b);
            show("back", n, m, steps[s], a, b, count * 4);
            line(steps[s], count, x, y);
            show("line", n, m, steps[s], x, y, count * 8);
            free(a), free(b), free(p), free(x), free(y);
        }
    return 0;
}
