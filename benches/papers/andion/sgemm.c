/* The matrix product of Andión et al. 2015 (SGEMM).  Usage: sgemm [m [n [k]]] */
#include "../../../examples/check.h"

static void sgemm(int m, int n, int k, float alpha, float beta, const float A[restrict m][k],
                  const float B[restrict k][n], float C[restrict m][n])
{
    #pragma acc kernels copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float product = 0;
            for (int l = 0; l < k; l++)
                product += A[i][l] * B[l][j];
            C[i][j] = alpha * product + beta * C[i][j];
        }
}

int main(int argc, char **argv)
{
    int m = size_argument(argc, argv, 1, 67);
    int n = size_argument(argc, argv, 2, 45);
    int k = size_argument(argc, argv, 3, 39);
    size_t a = (size_t)m * k, b = (size_t)k * n, c = (size_t)m * n;
    float *A = allocate(a, sizeof *A), *B = allocate(b, sizeof *B), *C = allocate(c, sizeof *C);
    for (size_t i = 0; i < a; i++)
        A[i] = (float)sample(3 * (unsigned)i);
    for (size_t i = 0; i < b; i++)
        B[i] = (float)sample(3 * (unsigned)i + 1);
    for (size_t i = 0; i < c; i++)
        C[i] = (float)sample(3 * (unsigned)i + 2);
    float alpha = 1.5f, beta = 0.5f;
    sgemm(m, n, k, alpha, beta, (void *)A, (void *)B, (void *)C);
    double worst = 0, *row = allocate(n, sizeof *row);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            row[j] = 0;
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++)
                row[j] += (double)A[(size_t)i * k + l] * B[(size_t)l * n + j];
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)i * n + j;
            double want = alpha * row[j] + beta * (float)sample(3 * (unsigned)at + 2);
            worst = fmax(worst, relative_error(C[at], want));
        }
    }
    printf("sgemm %dx%dx%d: relative error %.1e\n", m, n, k, worst);
    free(A);
    free(B);
    free(C);
    free(row);
    return !(worst <= 1e-5);
}
