/* C = alpha * A * B + beta * C as three plain loops, as sgemm.c, in JolokiaC++: gpuc run -fjolokia sgemm_jolokia.c
   The kernels are the same.  Usage: sgemm_jolokia [m [n [k]]] */
#include "check.h"
#include <float.h>
#include <string.h>

#ifndef _for
#define _for for
#endif

static void product(int m, int n, int k, float alpha, const float *A, const float *B, float beta,
                    float *C)
{
    _for (int i = 0; i < m; i++) {
        _for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int l = 0; l < k; l++)
                dot += A[i * k + l] * B[l * n + j];
            C[i * n + j] = alpha * dot + beta * C[i * n + j];
        }
    }
}

static void sgemm(int m, int n, int k, float alpha, const float *restrict A,
                  const float *restrict B, float beta, float *restrict C)
{
    #pragma jolokia gpuIn(A, B, C) gpuOut(C)
    product(m, n, k, alpha, A, B, beta, C);
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
    float *C = allocate(c_count, sizeof *C);
    float *expected = allocate(c_count, sizeof *expected);
    for (size_t i = 0; i < a_count; i++)
        A[i] = (float)sample(3 * (unsigned)i);
    for (size_t i = 0; i < b_count; i++)
        B[i] = (float)sample(3 * (unsigned)i + 1);
    for (size_t i = 0; i < c_count; i++)
        expected[i] = (float)sample(3 * (unsigned)i + 2);
    memcpy(C, expected, c_count * sizeof *C);
    const float alpha = 1.5f, beta = 0.5f;

    double start = seconds();
    sgemm(m, n, k, alpha, A, B, beta, C);
    double device = seconds() - start;
    start = seconds();
    sgemm_on_host(m, n, k, alpha, A, B, beta, expected);
    double host = seconds() - start;

    /* As in sgemm.c. */
    double tolerance = (k + 3) * FLT_EPSILON;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%dx%d", m, n, k);
    int status = report("sgemm_jolokia", sizes, "max relative error",
                        max_error_float(c_count, C, expected), tolerance, device, host);
    free(A);
    free(B);
    free(C);
    free(expected);
    return status;
}
