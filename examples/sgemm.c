/* C = alpha * A * B + beta * C as three plain loops, for A of m x k, B of k x n and C of m x n;
   once with linearised subscripts and once with true two-dimensional arrays.
   Usage: sgemm [m [n [k]]] */
#include "check.h"
#include <float.h>
#include <string.h>

static void sgemm_linear(int m, int n, int k, float alpha, const float *restrict A,
                         const float *restrict B, float beta, float *restrict C)
{
    #pragma acc parallel loop collapse(2) copyin(A[0:m*k], B[0:k*n]) copy(C[0:m*n])
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int l = 0; l < k; l++)
                dot += A[i * k + l] * B[l * n + j];
            C[i * n + j] = alpha * dot + beta * C[i * n + j];
        }
    }
}

static void sgemm_2d(int m, int n, int k, float alpha, const float (*restrict A)[k],
                     const float (*restrict B)[n], float beta, float (*restrict C)[n])
{
    #pragma acc data copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
    #pragma acc parallel loop gang
    for (int i = 0; i < m; i++) {
        #pragma acc loop vector
        for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            #pragma acc loop seq
            for (int l = 0; l < k; l++)
                dot += A[i][l] * B[l][j];
            C[i][j] = alpha * dot + beta * C[i][j];
        }
    }
}

static void sgemm_on_host(int m, int n, int k, float alpha, const float *A, const float *B,
                          float beta, float *C)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int l = 0; l < k; l++)
                dot += A[i * k + l] * B[l * n + j];
            C[i * n + j] = alpha * dot + beta * C[i * n + j];
        }
    }
}

int main(int argc, char **argv)
{
    int m = size_argument(argc, argv, 1, 257);
    int n = size_argument(argc, argv, 2, 129);
    int k = size_argument(argc, argv, 3, 65);
    size_t a_count = (size_t)m * k, b_count = (size_t)k * n, c_count = (size_t)m * n;
    float *A = allocate(a_count, sizeof *A);
    float *B = allocate(b_count, sizeof *B);
    float *linear = allocate(c_count, sizeof *linear);
    float *two_d = allocate(c_count, sizeof *two_d);
    float *expected = allocate(c_count, sizeof *expected);
    for (size_t i = 0; i < a_count; i++)
        A[i] = (float)sample(3 * (unsigned)i);
    for (size_t i = 0; i < b_count; i++)
        B[i] = (float)sample(3 * (unsigned)i + 1);
    for (size_t i = 0; i < c_count; i++)
        expected[i] = (float)sample(3 * (unsigned)i + 2);
    memcpy(linear, expected, c_count * sizeof *linear);
    memcpy(two_d, expected, c_count * sizeof *two_d);
    const float alpha = 1.5f, beta = 0.5f;

    double start = seconds();
    sgemm_linear(m, n, k, alpha, A, B, beta, linear);
    double device_linear = seconds() - start;
    double device_two_d = 0.0;
    /* A two-dimensional array type with rows of 0 elements is undefined in C. */
    if (n > 0 && k > 0) {
        start = seconds();
        sgemm_2d(m, n, k, alpha, (const float (*)[k])A, (const float (*)[n])B, beta,
                 (float (*)[n])two_d);
        device_two_d = seconds() - start;
    }
    start = seconds();
    sgemm_on_host(m, n, k, alpha, A, B, beta, expected);
    double host = seconds() - start;

    /* Each of the k products and sums, and the three operations of the last line, may round
       once more or once less where they are fused: half an epsilon each, on either side. */
    double tolerance = (k + 3) * FLT_EPSILON;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%dx%d", m, n, k);
    int status = report("sgemm", sizes, "max relative error",
                        max_error_float(c_count, linear, expected), tolerance, device_linear,
                        host);
    if (n > 0 && k > 0)
        status |= report("sgemm 2-D", sizes, "max relative error",
                         max_error_float(c_count, two_d, expected), tolerance, device_two_d,
                         host);
    free(A);
    free(B);
    free(linear);
    free(two_d);
    free(expected);
    return status;
}
