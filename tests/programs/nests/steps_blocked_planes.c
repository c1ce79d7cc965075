// Stencils over time that read neighbours along three loops: a star both ways, and one with a copy back, further neighbours and
// a third array. tests/tests/time_steps.rs does several steps a launch, plane by plane, for all sizes, and compares every bit.
#include <stdio.h>
#include <stdlib.h>

static void star(int steps, int l, int n, int m, float a[restrict l][n][m], float b[restrict l][n][m])
{
    #pragma acc kernels copy(a[0:l][0:n][0:m], b[0:l][0:n][0:m])
    for (int t = 0; t < steps; t++) {
        for (int h = 1; h < l - 1; h++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    b[h][i][j] = 0.25f * a[h][i][j] + 0.125f * (a[h - 1][i][j] + a[h + 1][i][j]) +
                                 0.0625f * (a[h][i - 1][j] + a[h][i + 1][j]) + 0.125f * (a[h][i][j - 1] + a[h][i][j + 1]);
        for (int h = 1; h < l - 1; h++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    a[h][i][j] = 0.25f * b[h][i][j] + 0.125f * (b[h - 1][i][j] + b[h + 1][i][j]) +
                                 0.0625f * (b[h][i - 1][j] + b[h][i + 1][j]) + 0.125f * (b[h][i][j - 1] + b[h][i][j + 1]);
    }
}

static void box(int steps, int l, int n, int m, const int *restrict p, double *restrict a, double *restrict b)
{
    #pragma acc kernels copyin(p[0:m]) copy(a[0:l * n * m], b[0:l * n * m])
    for (int t = 0; t < steps; t++) {
        for (int h = 2; h < l - 1; h++)
            for (int i = 1; i < n - 2; i++)
                for (int j = 1; j < m - 1; j++)
                    b[(h * n + i) * m + j] = 0.5 * a[(h * n + i) * m + j] - 0.25 * a[((h - 2) * n + i) * m + j] +
                                             0.125 * a[((h + 1) * n + i + 2) * m + j - 1] -
                                             0.25 * a[(h * n + i + 2) * m + j - 1] + 0.25 * a[(h * n + i - 1) * m + j + 1] + p[j];
        for (int h = 2; h < l - 1; h++)
            for (int i = 1; i < n - 2; i++)
                for (int j = 1; j < m - 1; j++)
                    a[(h * n + i) * m + j] = b[(h * n + i) * m + j];
    }
}

static void show(const char *what, const int *sides, int steps, const void *a, const void *b, size_t bytes)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + ((const unsigned char *)a)[i] * 7 + ((const unsigned char *)b)[i];
    printf("%s %dx%dx%d, %d steps: %lx\n", what, sides[0], sides[1], sides[2], steps, sum);
}

int main(void)
{
    static const int sizes[][3] = {{0, 0, 0}, {1, 1, 1}, {3, 5, 4}, {4, 3, 40}, {9, 33, 5}, {23, 19, 37}};
    static const int steps[] = {0, 1, 2, 3, 5, 6};
    for (int k = 0; k < 6; k++)
        for (int s = 0; s < 6; s++) {
            const int *side = sizes[k];
            int count = side[0] * side[1] * side[2];
            float *a = malloc(count * 4 + 4), *b = malloc(count * 4 + 4);
            double *x = malloc(count * 8 + 8), *y = malloc(count * 8 + 8);
            int *p = malloc(side[2] * 4 + 4);
            for (int i = 0; i < count; i++) {
                a[i] = i * 37 % 101 * 0.3f, b[i] = i * 31 % 103 * 0.7f;
                x[i] = i * 29 % 107 * 0.3, y[i] = i * 23 % 109 * 0.7;
            }
            for (int j = 0; j < side[2]; j++)
                p[j] = j % 5;
            star(steps[s], side[0], side[1], side[2], (void *)a, (void *)b);
            show("star", side, steps[s], a, b, count * 4);
            box(steps[s], side[0], side[1], side[2], p, x, y);
            show("box", side, steps[s], x, y, count * 8);
            free(a), free(b), free(x), free(y), free(p);
        }
    return 0;
}
