/* Patel 2014, §4.1: aview, shift and stride, within one another too. Behind `#else` stands the same by hand. */
#include <stdio.h>
#include <stdlib.h>

#ifdef _for

/* Listing 4.3, with the rows and columns of its matrices; a scalar of the task is each iteration's own. */
static void product(f64Array &A, f64Array &B, f64Array &C)
{
    int N = A.length(1), P = B.length(1);
    f64Scalar pval;
    _for (int i = 0; i < C.length(0); i++)
        _for (int j = 0; j < C.length(1); j++) {
            pval += aview(A, N, i, row) * aview(B, P, j, column);
            C(i, j) = pval;
        }
}

/* Listing 4.7: the direction is left out, and the loop's variable comes first. */
static void rows(int height, int width, f64Array &A, f64Array &X, f64Array &Y)
{
    _for (int i = 0; i < height; i++) {
        f64Scalar sum = 0;
        sum = sum + aview(A, i, width) * X;
        Y(i) = sum;
    }
}

static void columns(int width, f64Array &A, f64Array &Y)
{
    parallel_for (int j = 0; j < width; j++) {
        f64Scalar sum = 1;
        sum += aview(A, width, j, column);
        Y(j) = sum;
    }
}

static void stencil(f64Array &A, f64Array &B)
{
    _for (int i = 1; i < A.length(0) - 1; i++)
        _for (int j = 1; j < A.length(1) - 1; j++)
            B(i, j) = shift(A, -1, 0) + 2 * shift(A, 1, 0) + shift(A, 0, 0) - shift(A, 0, -1) + 3 * shift(A, 0, 1);
}

/* Listing 4.1: A[2 * i][3 * j - 4]. */
static void apart(f64Array &A, f64Array &B)
{
    int two = 2;
    _for (int i = 0; i < B.length(0); i++)
        _for (int j = 2; j < B.length(1); j++)
            B(i, j) = shift(stride(A, two, 3), 0, -4) + stride(shift(A, 1, 0), 1, 2);
}

static void line(f64Array &A, f64Array &B)
{
    _for (int i = 1; i < B.length; i++)
        B(i) = stride(A, 2) + shift(A, -1) * shift(stride(A, 2), 1);
}

/* Along a row, one element further. */
static void slid(int n, f64Array &A, f64Array &Y)
{
    _for (int i = 0; i < Y.length; i++) {
        f64Scalar sum = 0;
        sum += shift(aview(A, n - 1, i, row), 0, 1) * 0.5;
        Y(i) = sum;
    }
}

static double look(f64Array &A)
{
    double sum = 0;
    for (int i = 0; i < A.length(0) * A.length(1); i++)
        sum += (i % 5 + 1) * A[i];
    return sum;
}

static void all(int n)
{
    f64Array A(n, n + 1), B(n + 1, n + 2), C(n, n + 2), X(n + 1), Y(n), Z(n + 1), T(n, n + 1);
    f64Array D(2 * n + 1, 3 * n + 2), E(n, n), F(2 * n + 2), G(n);
    for (int i = 0; i < n * (n + 1); i++)
        A[i] = i % 7;
    for (int i = 0; i < (n + 1) * (n + 2); i++)
        B[i] = i % 4;
    for (int i = 0; i < n + 1; i++)
        X(i) = i % 3;
    for (int i = 0; i < (2 * n + 1) * (3 * n + 2); i++)
        D[i] = i % 11;
    for (int i = 0; i < 2 * n + 2; i++)
        F(i) = i % 6;
    #pragma jolokia gpuIn(A, B, C) gpuOut(C) tile(16, 16, 1) scratchpad(A, 16, 16, 1) scratchpad(B, 16, 16, 1)
    product(A, B, C);
    #pragma jolokia gpuIn(A, X) gpuOut(Y) tile(128, 1, 1)
    rows(n, n + 1, A, X, Y);
    #pragma jolokia gpuIn(A) gpuOut(Z)
    columns(n + 1, A, Z);
    printf("%d: %g %g %g", n, look(C), look(Y), look(Z));
    #pragma jolokia gpuIn(A) gpuOut(T) tile(32, 8, 1)
    stencil(A, T);
    #pragma jolokia gpuIn(D) gpuOut(E)
    apart(D, E);
    #pragma jolokia gpuIn(F) gpuOut(G)
    line(F, G);
    printf(" %g %g %g", look(T), look(E), look(G));
    #pragma jolokia gpuIn(A) gpuOut(Y)
    slid(n + 1, A, Y);
    printf(" %g\n", look(Y));
}

#else

static double look(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 5 + 1) * a[i];
    return sum;
}

static double *array(int n, int period)
{
    double *a = calloc(n + 1, sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = period ? i % period : 0;
    return a;
}

static void all(int n)
{
    int w = n + 1, d = 3 * n + 2;
    double *A = array(n * w, 7), *B = array(w * (n + 2), 4), *C = array(n * (n + 2), 0), *X = array(w, 3), *Y = array(n, 0);
    double *Z = array(w, 0), *T = array(n * w, 0), *D = array((2 * n + 1) * d, 11), *E = array(n * n, 0);
    double *F = array(2 * n + 2, 6), *G = array(n, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n + 2; j++)
            for (int k = 0; k < w; k++)
                C[i * (n + 2) + j] += A[i * w + k] * B[k * (n + 2) + j];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < w; k++)
            Y[i] += A[i * w + k] * X[k];
    for (int j = 0; j < w; j++) {
        Z[j] = 1;
        for (int k = 0; k < n; k++)
            Z[j] += A[k * w + j];
    }
    printf("%d: %g %g %g", n, look(C, n * (n + 2)), look(Y, n), look(Z, w));
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < w - 1; j++)
            T[i * w + j] = A[(i - 1) * w + j] + 2 * A[(i + 1) * w + j] + A[i * w + j] - A[i * w + j - 1] + 3 * A[i * w + j + 1];
    for (int i = 0; i < n; i++)
        for (int j = 2; j < n; j++)
            E[i * n + j] = D[2 * i * d + 3 * j - 4] + D[(i + 1) * d + 2 * j];
    for (int i = 1; i < n; i++)
        G[i] = F[2 * i] + F[i - 1] * F[2 * i + 1];
    printf(" %g %g %g", look(T, n * w), look(E, n * n), look(G, n));
    for (int i = 0; i < n; i++) {
        Y[i] = 0;
        for (int k = 0; k < n; k++)
            Y[i] += A[i * n + k + 1] * 0.5;
    }
    printf(" %g\n", look(Y, n));
    free(A), free(B), free(C), free(X), free(Y), free(Z), free(T), free(D), free(E), free(F), free(G);
}

#endif

int main(void)
{
    int sizes[] = {1, 2, 5, 31, 32};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
