/* General matrix multiplication, of Li et al. 2016.  Usage: gemm [n] */
#include "../../../examples/check.h"

static void gemm(int n, float a, float b, const float *restrict A, const float *restrict B,
                 float *restrict C)
{
    #pragma acc kernels copyin(A[0:n*n], B[0:n*n]) copy(C[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float ab = 0.0f;
            for (int k = 0; k < n; k++)
                ab += A[i * n + k] * B[k * n + j];
            C[i * n + j] = a * ab + b * C[i * n + j];
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 67);
    size_t count = (size_t)n * n;
    float *A = allocate(count, sizeof *A);
    float *B = allocate(count, sizeof *B);
    float *C = allocate(count, sizeof *C);
    for (size_t i = 0; i < count; i++) {
        A[i] = (float)sample(3 * (unsigned)i);
        B[i] = (float)sample(3 * (unsigned)i + 1);
        C[i] = (float)sample(3 * (unsigned)i + 2);
    }
    gemm(n, 1.5f, 0.5f, A, B, C);
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double ab = 0;
            for (int k = 0; k < n; k++)
                ab += (double)A[(size_t)i * n + k] * B[(size_t)k * n + j];
            size_t at = (size_t)i * n + j;
            worst = fmax(worst, relative_error(C[at], 1.5 * ab + 0.5 * (float)sample(3 * (unsigned)at + 2)));
        }
    printf("gemm %d: relative error %.1e\n", n, worst);
    free(A);
    free(B);
    free(C);
    return !(worst <= 1e-5);
}
