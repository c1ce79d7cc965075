/* y = A * x for A of m x n: a gang takes a row, its vector lanes sum it up together.
   Usage: matvec [m [n]] */
#include "check.h"
#include <float.h>

static void matvec(int m, int n, const float *restrict A, const float *restrict x,
                   float *restrict y)
{
    #pragma acc parallel loop gang copyin(A[0:m*n], x[0:n]) copyout(y[0:m])
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        #pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

static void matvec_on_host(int m, int n, const float *A, const float *x, float *y)
{
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int m = size_argument(argc, argv, 1, 301);
    int n = size_argument(argc, argv, 2, 517);
    size_t count = (size_t)m * n;
    float *A = allocate(count, sizeof *A);
    float *x = allocate(n, sizeof *x);
    float *y = allocate(m, sizeof *y);
    float *expected = allocate(m, sizeof *expected);
    for (size_t i = 0; i < count; i++)
        A[i] = (float)sample(2 * (unsigned)i);
    for (int j = 0; j < n; j++)
        x[j] = (float)sample(2 * j + 1);

    double start = seconds();
    matvec(m, n, A, x, y);
    double device = seconds() - start;
    start = seconds();
    matvec_on_host(m, n, A, x, expected);
    double host = seconds() - start;

    /* A sum of n positive products in any order is within n roundings of the exact one; two
       such sums are within twice that, n epsilons. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", m, n);
    int status = report("matvec", sizes, "max relative error", max_error_float(m, y, expected),
                        (n + 1) * FLT_EPSILON, device, host);
    free(A);
    free(x);
    free(y);
    free(expected);
    return status;
}
