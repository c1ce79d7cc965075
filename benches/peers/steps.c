// Loops of small steps, in one block or in launches: substitution, Durbin's recursion, a stencil over time (benches/RESULTS.md).
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
void trisolv(int n, double *restrict l, double *restrict x, double *restrict b)
{
    #pragma acc kernels present(l[0:n*n], x[0:n], b[0:n])
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i * n + j] * x[j];
        x[i] = x[i] / l[i * n + i];
    }
}
void durbin(int n, double *restrict r, double *restrict y, double *restrict z)
{
    double alpha, beta;
    #pragma acc kernels present(r[0:n], y[0:n], z[0:n]) copyout(alpha, beta)
    {
    alpha = -r[0]; beta = 1; y[0] = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
    }
}
void jacobi(int steps, int n, double *restrict a, double *restrict b)
{
    #pragma acc kernels present(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
    }
}
int main(void)
{
    int sizes[] = {100, 400, 1000, 2000, 4000, 8000, 16000};
    for (int s = 0; s < 7; s++) {
        int n = sizes[s];
        int m = n > 4000 ? 1 : n;
        double *l = malloc(sizeof(double) * m * m), *x = malloc(n * 8), *b = malloc(n * 8), *y = malloc(n * 8), *z = malloc(n * 8);
        for (int i = 0; i < m * m; i++) l[i] = (i % 7 + 1) / (double)n;
        for (int i = 0; i < m; i++) l[i * m + i] = 3;
        for (int i = 0; i < n; i++) x[i] = b[i] = 0.3 / (i + 1), y[i] = z[i] = 1.0 / (i + 2);
        double best[3] = {1e9, 1e9, 1e9};
        #pragma acc data copyin(l[0:m*m], b[0:n]) copy(x[0:n], y[0:n], z[0:n])
        for (int k = 0; k < 6; k++) {
            double t = now();
            if (m == n) {
            trisolv(n, l, x, b); best[0] = now() - t < best[0] ? now() - t : best[0];
            t = now(); durbin(n, b, y, z); best[1] = now() - t < best[1] ? now() - t : best[1]; }
            t = now(); jacobi(100, n, y, z); best[2] = now() - t < best[2] ? now() - t : best[2];
        }
        printf("%d: trisolv %.1f us, durbin %.1f us, jacobi (100 steps) %.1f us; %g %g\n", n, best[0], best[1], best[2], x[n - 1], y[n / 2]);
        fflush(stdout);
        free(l), free(x), free(b), free(y), free(z);
    }
}
