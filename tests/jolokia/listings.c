/* The listings of Patel 2014 in plain C: vector sum and scaling (3.6), stencil and copy (4.8), products (4.3, 4.7), irregular
   loops (5.1); `_for` is a loop whose iterations are independent. */
#include <stdio.h>
#include <stdlib.h>

#ifndef _for
#define _for for
#define parallel_for for
#endif

#define BLK1 128
#define BLK2 64

static void add(int n, double *A, const double *B, const double *C)
{
    _for (int i = 0; i < n; i++)
        A[i] = B[i] + C[i];
}

static void scale(int n, double *A, double S)
{
    _for (int i = 0; i < n; i++)
        A[i] = S * A[i];
}

static double total(int n, const double *A)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * A[i];
    return sum;
}

/* Listing 3.6: a task of the host between two of the device. */
static double sums(int n)
{
    double *A = calloc(n + 1, sizeof *A), *B = malloc((n + 1) * sizeof *B), *C = malloc((n + 1) * sizeof *C);
    for (int i = 0; i < n; i++) {
        B[i] = i * 0.5;
        C[i] = n - i;
    }
    #pragma jolokia gpuIn(A, B, C) gpuOut(A) tile(BLK1, 1, 1)
    add(n, A, B, C);
    double all = total(n, A);
    #pragma jolokia gpuIn(A) gpuOut(A) tile(BLK2, 1, 1)
    scale(n, A, 1.5);
    all = 3 * all + total(n, A);
    free(A);
    free(B);
    free(C);
    return all;
}

/* Listing 4.8: iterations of a stencil, whose data stay where they are. */
static void stencil(int n, const float A[n + 2][n + 2], float B[n + 2][n + 2])
{
    _for (int i = 1; i <= n; i++) {
        _for (int j = 1; j <= n; j++)
            B[i][j] = 0.2f * (A[i - 1][j] + A[i + 1][j] + A[i][j] + A[i][j - 1] + A[i][j + 1]);
    }
}

static void copy(int n, float A[n + 2][n + 2], const float B[n + 2][n + 2])
{
    _for (int i = 1; i <= n; i++)
        _for (int j = 1; j <= n; j++)
            A[i][j] = B[i][j];
}

static double steps(int n, int iter)
{
    static float A[2000], B[2000];
    float (*a)[n + 2] = (float (*)[n + 2])A, (*b)[n + 2] = (float (*)[n + 2])B;
    for (int i = 0; i < (n + 2) * (n + 2); i++)
        A[i] = B[i] = i % 11;
    for (int t = 0; t < iter; t++) {
        #pragma jolokia gpuIn(a, b) gpuOut(b) tile(32, 8, 1)
        stencil(n, a, b);
        #pragma jolokia gpuIn(a, b) gpuOut(a) tile(32, 8, 1)
        copy(n, a, b);
    }
    double all = 0;
    for (int i = 0; i < (n + 2) * (n + 2); i++)
        all += (i % 5 + 1) * A[i];
    return all;
}

/* Listings 4.7 and 4.3. */
static void vector_product(int height, int width, const float *A, const float *X, float *Y)
{
    parallel_for (int i = 0; i < height; i++) {
        float sum = 0;
        for (int j = 0; j < width; j++)
            sum += A[i * width + j] * X[j];
        Y[i] = sum;
    }
}

static void product(int m, int n, int k, const float *A, const float *B, float *C)
{
    _for (int i = 0; i < m; i++)
        _for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                C[i * n + j] += A[i * k + l] * B[l * n + j];
}

static double products(int n)
{
    static float A[1600], B[1600], C[1600], Y[40];
    for (int i = 0; i < n * n; i++) {
        A[i] = i % 3;
        B[i] = i % 4 - 1;
        C[i] = 1;
    }
    #pragma jolokia gpuIn(A, B, C) gpuOut(C) tile(16, 16, 1) scratchpad(A, 16, 16, 1) scratchpad(B, 16, 16, 1)
    product(n, n, n, A, B, C);
    #pragma jolokia gpuIn(C, B) gpuOut(Y) tile(32, 1, 1)
    vector_product(n, n, C, B, Y);
    double all = 0;
    for (int i = 0; i < n; i++)
        all += (i + 1) * Y[i];
    return all;
}

/* Listing 5.1: loops that are tasks themselves. */
static long irregular(int n, int pairs)
{
    static int x[100], y[100], left[300], right[300];
    for (int i = 0; i < n; i++)
        y[i] = i * 8;
    for (int i = 0; i < pairs; i++) {
        left[i] = n ? i * 7 % n : 0;
        right[i] = n ? i * 3 % n : 0;
    }
    for (int i = 0; i < 3; i++) {
        #pragma jolokia tile(512, 1, 1) gpuIn(x, y) nowait
        _for (int j = 0; j < n; j++)
            x[j] = y[j];
        #pragma jolokia tile(256, 1, 1) gpuIn(x, y, left, right) gpuOut(y) wait
        _for (int k = 0; k < pairs; k++) {
            y[left[k]] += (x[left[k]] + x[right[k]]) / 4;
            y[right[k]] -= (x[left[k]] + x[right[k]]) / 8;
        }
    }
    long all = 0;
    for (int i = 0; i < n; i++)
        all += (i + 1L) * y[i];
    return all;
}

int main(void)
{
    int sizes[] = {0, 1, 2, 31, 40};
    for (int i = 0; i < 5; i++) {
        int n = sizes[i];
        printf("%d: %g %.4f %g %ld\n", n, sums(n * 33), steps(n, 4), products(n), irregular(2 * n, 7 * n));
    }
    return 0;
}
