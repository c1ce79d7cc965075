/* The product of two matrices (MM), of Hayashi et al. 2019: one loop over all elements of the result.  Usage: mm [n] */
#include "../../../examples/check.h"
#include "forms.h"

static void mm(int n, const float *restrict A, const float *restrict B, float *restrict C)
{
    DEVICE_LOOP(copyin(A[0:n*n], B[0:n*n]) copyout(C[0:n*n]), map(to: A[0:n*n], B[0:n*n]) map(from: C[0:n*n]))
    for (int at = 0; at < n * n; at++) {
        int i = at / n, j = at % n;
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += A[i * n + k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 61);
    size_t count = (size_t)n * n;
    float *A = allocate(count, sizeof *A), *B = allocate(count, sizeof *B), *C = allocate(count, sizeof *C);
    for (size_t at = 0; at < count; at++) {
        A[at] = (float)sample(2 * (unsigned)at);
        B[at] = (float)sample(2 * (unsigned)at + 1);
    }
    mm(n, A, B, C);
    double worst = 0, *row = allocate(n, sizeof *row);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            row[j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                row[j] += (double)A[(size_t)i * n + k] * B[(size_t)k * n + j];
        for (int j = 0; j < n; j++)
            worst = fmax(worst, relative_error(C[(size_t)i * n + j], row[j]));
    }
    printf("mm %d: relative error %.1e\n", n, worst);
    free(A);
    free(B);
    free(C);
    free(row);
    return !(worst <= 1e-5);
}
