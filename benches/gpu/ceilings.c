/* Kernels whose ceilings are known, as plain loops with `kernels`: matrix products against cuBLAS, and what moves memory
   against a copy. Each runs some times on data that stay on the device; `--time` (GPUC_TIME=1) gives the times by line.
   What comes out is compared with what arithmetic says, at some thousand places.
   Usage: ceilings sgemm|axpy|transpose|sum|jacobi N [TIMES] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *numbers(size_t count)
{
    float *values = malloc(count * sizeof *values);
    unsigned state = 12345;
    if (!values)
        exit(3);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / 16777216.0f - 0.5f;
    }
    return values;
}

/* Places to look at: ends, and a walk between. */
static size_t place(int i, size_t count)
{
    return i == 0 ? 0 : i == 1 ? count - 1 : (size_t)i * 2654435761u % count;
}

static int report(const char *name, size_t n, double error, double bound)
{
    printf("%s %zu %s (%.2g <= %.2g)\n", name, n, error <= bound ? "verified" : "WRONG", error, bound);
    return !(error <= bound);
}

static int sgemm(int n, int times)
{
    float (*restrict A)[n] = (void *)numbers((size_t)n * n);
    float (*restrict B)[n] = (void *)numbers((size_t)n * n);
    float (*restrict C)[n] = (void *)numbers((size_t)n * n);
    #pragma acc data copyin(A[0:n][0:n], B[0:n][0:n]) copyout(C[0:n][0:n])
    for (int t = 0; t < times; t++) {
        #pragma acc kernels
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int k = 0; k < n; k++)
                    sum += A[i][k] * B[k][j];
                C[i][j] = sum;
            }
    }
    double error = 0;
    for (int s = 0; s < 1000; s++) {
        size_t at = place(s, (size_t)n * n);
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += (double)A[at / n][k] * B[k][at % n];
        error = fmax(error, fabs(sum - C[at / n][at % n]));
    }
    /* Rounding of n fused steps on sums that stay below a quarter of n's root. */
    return report("sgemm", n, error, 6e-8 * n);
}

static int axpy(size_t n, int times)
{
    float *restrict x = numbers(n), *restrict y = numbers(n);
    #pragma acc data copyin(x[0:n]) copy(y[0:n])
    for (int t = 0; t < times; t++) {
        #pragma acc kernels
        for (size_t i = 0; i < n; i++)
            y[i] += 2.0f * x[i];
    }
    /* Both began as the same numbers. */
    double error = 0;
    for (int s = 0; s < 1000; s++) {
        size_t at = place(s, n);
        error = fmax(error, fabs(y[at] - (1 + 2.0 * times) * x[at]));
    }
    return report("axpy", n, error, 1e-6 * times * times);
}

static int transpose(int n, int times)
{
    float (*restrict A)[n] = (void *)numbers((size_t)n * n);
    float (*restrict B)[n] = (void *)numbers((size_t)n * n);
    #pragma acc data copyin(A[0:n][0:n]) copyout(B[0:n][0:n])
    for (int t = 0; t < times; t++) {
        #pragma acc kernels
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[j][i] = A[i][j];
    }
    double error = 0;
    for (int s = 0; s < 1000; s++) {
        size_t at = place(s, (size_t)n * n);
        error = fmax(error, fabs(A[at / n][at % n] - B[at % n][at / n]));
    }
    return report("transpose", n, error, 0);
}

static int sum(size_t n, int times)
{
    float *restrict x = numbers(n), total = 0;
    double expected = 0, of_sizes = 0;
    #pragma acc data copyin(x[0:n])
    for (int t = 0; t < times; t++) {
        total = 0;
        #pragma acc parallel loop reduction(+:total)
        for (size_t i = 0; i < n; i++)
            total += x[i];
    }
    for (size_t i = 0; i < n; i++)
        expected += x[i], of_sizes += fabs(x[i]);
    /* A tree of threads with some thousand terms each. */
    return report("sum", n, fabs(total - expected), 1e-6 * of_sizes);
}

static int jacobi(int n, int times)
{
    float (*restrict A)[n] = (void *)numbers((size_t)n * n);
    float (*restrict B)[n] = (void *)numbers((size_t)n * n);
    #pragma acc data copyin(A[0:n][0:n]) copy(B[0:n][0:n])
    for (int t = 0; t < times; t++) {
        #pragma acc kernels
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
    }
    double error = 0;
    for (int s = 0; s < 1000; s++) {
        size_t at = place(s, (size_t)(n - 2) * (n - 2)), i = 1 + at / (n - 2), j = 1 + at % (n - 2);
        double mean = 0.2 * ((double)A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
        error = fmax(error, fabs(mean - B[i][j]));
    }
    return report("jacobi", n, error, 2e-7);
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    int times = argc > 3 ? atoi(argv[3]) : 1;
    if (n < 3 || times < 1) {
        fprintf(stderr, "usage: %s sgemm|axpy|transpose|sum|jacobi N [TIMES]\n", argv[0]);
        return 2;
    }
    if (!strcmp(argv[1], "sgemm"))
        return sgemm((int)n, times);
    if (!strcmp(argv[1], "axpy"))
        return axpy(n, times);
    if (!strcmp(argv[1], "transpose"))
        return transpose((int)n, times);
    if (!strcmp(argv[1], "sum"))
        return sum(n, times);
    if (!strcmp(argv[1], "jacobi"))
        return jacobi((int)n, times);
    return 2;
}
