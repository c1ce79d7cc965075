// Two sweeps in turns whose arrays have elements of two types: what is alive between steps has no room in the other array, so that each
// step is two launches.
#include <stdio.h>
#include <stdlib.h>

static void halves(int steps, int n, int m, float (*restrict a)[m], double (*restrict b)[m])
{
    #pragma acc kernels copy(a[0:n][0:m], b[0:n][0:m])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = a[i - 1][j] + a[i][j + 1];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                a[i][j] = (float)((b[i - 1][j] + b[i][j - 1]) * 0.25);
    }
}

static void bytes(int steps, int n, unsigned *restrict a, unsigned char *restrict b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + a[i] + a[i + 1];
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i - 1] * 3u + b[i + 1] * 1000u;
    }
}

int main(void)
{
    const int sizes[][2] = {{0, 0}, {1, 1}, {3, 5}, {37, 41}, {61, 130}}, steps[] = {0, 1, 2, 5, 9};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 5; s++) {
            int n = sizes[k][0], m = sizes[k][1], count = n * m;
            float *a = malloc(count * sizeof *a + 1);
            double *b = malloc(count * sizeof *b + 1);
            unsigned *x = malloc(count * sizeof *x + 1);
            unsigned char *y = malloc(count + 1);
            for (int i = 0; i < count; i++) {
                a[i] = i * 37 % 101, b[i] = i * 31 % 103;
                x[i] = i * 29u % 107, y[i] = i * 23 % 109;
            }
            halves(steps[s], n, m, (void *)a, (void *)b);
            bytes(steps[s], count, x, y);
            double sum = 0;
            unsigned all = 0;
            for (int i = 0; i < count; i++)
                sum += a[i] + 2 * b[i], all = all * 31 + x[i] * 7 + y[i];
            printf("%dx%d, %d steps: %a %u\n", n, m, steps[s], sum, all);
            free(a), free(b), free(x), free(y);
        }
    return 0;
}
