// A stencil of two dimensions under a loop over time, in a true array of two dimensions and in one of rows.
#include <stdio.h>
#include <stdlib.h>

static void run(int n, int m, int steps)
{
    float (*a)[m + 1] = calloc(n + 1, sizeof *a), (*b)[m + 1] = calloc(n + 1, sizeof *b);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = b[i][j] = (i * 5 + j * 3) % 17;
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = 0.25f * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = b[i][j];
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += (i % 5 + j % 3 + 1) * a[i][j];
    printf("%dx%d, %d steps: %.10g\n", n, m, steps, sum);
    free(a);
    free(b);
}

static void run_rows(int n, int m, int steps, float *restrict a, float *restrict b)
{
    for (int i = 0; i < n * m; i++)
        a[i] = b[i] = i * 7 % 19;
    #pragma acc kernels copy(a[0:n * m]) create(b[0:n * m])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i * m + j] = a[i * m + j - 1] + a[i * m + j + 1] - a[(i - 1) * m + j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i * m + j] = b[i * m + j] * 0.5f;
    }
    double sum = 0;
    for (int i = 0; i < n * m; i++)
        sum += (i % 5 + 1) * a[i];
    printf("rows %dx%d, %d steps: %.10g\n", n, m, steps, sum);
}

int main(void)
{
    int sizes[][2] = {{0, 0}, {1, 1}, {3, 3}, {5, 64}, {37, 41}, {64, 32}};
    float *a = calloc(4096, sizeof *a), *b = calloc(4096, sizeof *b);
    for (int i = 0; i < 6; i++)
        for (int steps = 0; steps < 4; steps++) {
            run(sizes[i][0], sizes[i][1], steps);
            run_rows(sizes[i][0], sizes[i][1], steps, a, b);
        }
    free(a);
    free(b);
    return 0;
}
