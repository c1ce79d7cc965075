/* The matrix product of Andión et al. 2015 (SGEMM).  Usage: sgemm [m [n [k]]]
   With -fhmpp -DHMPP=1 to 4, the paper's variants in OpenHMPP. */
#include "../../../examples/check.h"

/* Rows of a thread of the variants 2 and 3. */
#define DELTA 16

#if !defined HMPP
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
#elif HMPP == 2
/* A thread has a run of rows, and a sum for each. */
#pragma hmpp sgemm codelet, target=CUDA, args[A; B].io=in, args[C].io=inout
static void sgemm(int m, int n, int k, float alpha, float beta, const float A[restrict m][k],
                  const float B[restrict k][n], float C[restrict m][n])
{
    #pragma hmppcg gridify(i, j), blocksize "64x4"
    for (int i = 0; i < m; i += DELTA)
        for (int j = 0; j < n; j++) {
            float product[DELTA];
            #pragma hmppcg noParallel
            for (int t = 0; t < DELTA; t++)
                if (i + t < m) {
                    product[t] = 0;
                    #pragma hmppcg noParallel
                    for (int l = 0; l < k; l++)
                        product[t] += A[i + t][l] * B[l][j];
                    C[i + t][j] = alpha * product[t] + beta * C[i + t][j];
                }
        }
}
#elif HMPP == 3
/* The sums of the rows side by side, in registers: their loop is all rounds, inside of that over the terms. Of rows behind the last one,
   the last one's elements are added to sums that go nowhere. */
#pragma hmpp sgemm codelet, target=CUDA, args[A; B].io=in, args[C].io=inout
static void sgemm(int m, int n, int k, float alpha, float beta, const float A[restrict m][k],
                  const float B[restrict k][n], float C[restrict m][n])
{
    #pragma hmppcg gridify(i, j), blocksize "64x4"
    for (int i = 0; i < m; i += DELTA)
        for (int j = 0; j < n; j++) {
            float product[DELTA];
            #pragma hmppcg fullunroll
            #pragma hmppcg noParallel
            for (int t1 = 0; t1 < DELTA; t1++)
                product[t1] = 0;
            #pragma hmppcg noParallel
            for (int l = 0; l < k; l++) {
                #pragma hmppcg fullunroll
                #pragma hmppcg noParallel
                for (int t2 = 0; t2 < DELTA; t2++)
                    product[t2] += A[i + t2 < m ? i + t2 : m - 1][l] * B[l][j];
            }
            #pragma hmppcg fullunroll
            #pragma hmppcg noParallel
            for (int t3 = 0; t3 < DELTA; t3++)
                if (i + t3 < m)
                    C[i + t3][j] = alpha * product[t3] + beta * C[i + t3][j];
        }
}
#else
#pragma hmpp sgemm codelet, target=CUDA, args[A; B].io=in, args[C].io=inout
static void sgemm(int m, int n, int k, float alpha, float beta, const float A[restrict m][k],
                  const float B[restrict k][n], float C[restrict m][n])
{
#if HMPP == 1
    #pragma hmppcg gridify(i, j), blocksize "64x4"
#else
    /* Slices of B in memory of the block, as far as the compiler finds that worth it. */
    #pragma hmppcg gridify(i, j), shared(B)
#endif
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float product = 0;
            for (int l = 0; l < k; l++)
                product += A[i][l] * B[l][j];
            C[i][j] = alpha * product + beta * C[i][j];
        }
}
#endif

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
#if defined HMPP
    #pragma hmpp sgemm callsite
#endif
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
