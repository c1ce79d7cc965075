/* Loop variables and bounds of different types: the wider one says how far, the narrower one how it is written. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(int count, float *a, float *b)
{
    for (int i = 0; i < count; i++) {
        a[i] = (i * 5) % 13;
        b[i] = (i * 3) % 11;
    }
}

static void wide_bound(long n, unsigned long m, unsigned k, float *a, float *b)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma acc kernels
    for (int i = 0; i < m; i++)
        a[i] *= 2;
    #pragma acc kernels
    for (unsigned i = 0; i < m; i++)
        a[i] += i;
    #pragma acc kernels
    for (int i = 0; i < k; i++)
        a[i] -= b[i];
    #pragma acc kernels
    for (long long i = k; i > 0; i--)
        a[i - 1] += 1;
}

static void wide_rows(size_t n, size_t m, float *a, float *b)
{
    #pragma acc kernels
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            a[i * m + j] += 2 * b[i * m + j];
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * m + j] += i + j;
}

static void rows_of_int(int n, int lda, float *a, float *b)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[(size_t)i * lda + j] += b[(size_t)j * lda + i];
}

static void without_clause(size_t n, float *a, float *b)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma acc serial loop
    for (int i = 0; i < n; i++)
        b[i] += a[i];
}

int main(void)
{
    const int sizes[] = {0, 1, 2, 31, 64, 97};
    for (int s = 0; s < 6; s++) {
        int n = sizes[s], lda = n + 3, count = (n + 1) * lda;
        float *a = malloc(sizeof(float) * count), *b = malloc(sizeof(float) * count);
        fill(count, a, b);
        wide_bound(n, n, n, a, b);
        wide_rows(n, n + 1, a, b);
        rows_of_int(n, lda, a, b);
        without_clause(n, a, b);
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += a[i] * (i % 7) + b[i];
        printf("%d: %.1f\n", n, sum);
        free(a);
        free(b);
    }
    return 0;
}
