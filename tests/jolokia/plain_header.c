/* The header that gives arrays and operators of JolokiaC++ in plain C; `by_hand` has the same without it. */
#include "../../runtime/include/jolokia.h"
#include <stdio.h>
#include <stdlib.h>

static void fill(i64Reference(A), long start)
{
    _for (int i = 0; i < length(A); i++)
        _for (int j = 0; j < length(A, 1); j++)
            _for (int k = 0; k < length(A, 2); k++)
                elem(A, i, j, k) = start + 100 * i + 10 * j + k + dimension(A);
}

static void product(const f32Reference(A), const f32Reference(B), f32Reference(C))
{
    _for (int i = 0; i < length(C, 0); i++)
        _for (int j = 0; j < length(C, 1); j++) {
            float dot = 0;
            for (int k = 0; k < length(A, 1); k++)
                dot += aview(A, length(A, 1), i, row, k) * aview(B, length(B, 1), j, column, k);
            elem(C, i, j) = dot;
        }
}

static void stencil(const f64Reference(A), f64Reference(B))
{
    _for (int i = 1; i < length(A, 0) - 1; i++)
        _for (int j = 1; j < length(A, 1) - 1; j++)
            elem(B, i, j) = elem(shift((A, i, j), -1, 0)) + 2 * elem(shift((A, i, j), 1, 0)) +
                            elem(A, i, j) - elem(shift((A, i, j), 0, -1)) + 3 * elem(shift((A, i, j), 0, 1));
}

static void apart(const f64Reference(A), f64Reference(B), f64Reference(C))
{
    _for (int i = 0; i < length(B, 0); i++)
        _for (int j = 2; j < length(B, 1); j++)
            elem(B, i, j) = elem(shift(stride((A, i, j), 2, 3), 0, -4)) + elem(stride(shift((A, i, j), 1, 0), 1, 2));
    _for (int i = 0; i < length(C); i++)
        elem(C, i) = elem(stride((A, i), 2)) + elem(shift(stride((A, i), 2), 1));
}

static double look(const f64Reference(A))
{
    double sum = 0;
    for (int i = 0; i < length(A, 0) * length(A, 1) * length(A, 2); i++)
        sum += (i % 5 + 1) * A[i];
    return sum;
}

/* What the tasks leave, without the header: the largest difference. */
static double by_hand(int n, const long *a, const float *c, const double *d, const double *e, const double *f)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < n + 1; k++)
                most += llabs(a[(i * 3 + j) * (n + 1) + k] - (7 + 100 * i + 10 * j + k + 3));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n + 2; j++) {
            float dot = 0;
            for (int k = 0; k < n + 1; k++)
                dot += (float)((i * (n + 1) + k) % 7) * (float)((k * (n + 2) + j) % 4);
            most += dot < c[i * (n + 2) + j] ? c[i * (n + 2) + j] - dot : dot - c[i * (n + 2) + j];
        }
    int w = 3 * n + 2;
    for (int i = 1; i < 2 * n; i++)
        for (int j = 1; j < w - 1; j++) {
            double x = (i * w + j) % 11;
            x += ((i - 1) * w + j) % 11 + 2 * (((i + 1) * w + j) % 11) - (i * w + j - 1) % 11 + 3 * ((i * w + j + 1) % 11);
            most += x < d[i * w + j] ? d[i * w + j] - x : x - d[i * w + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 2; j < n; j++)
            most += (2 * i * w + 3 * j - 4) % 11 + ((i + 1) * w + 2 * j) % 11 - e[i * n + j];
    for (int i = 0; i < n; i++)
        most += (2 * i) % 11 + (2 * i + 1) % 11 - f[i];
    return most;
}

static void all(int n)
{
    i64Array(A, n, 3, n + 1);
    f32Array(L, n, n + 1);
    f32Array(R, n + 1, n + 2);
    f32Array(C, n, n + 2);
    f64Array(G, 2 * n + 1, 3 * n + 2);
    f64Array(D, 2 * n + 1, 3 * n + 2);
    f64Array(E, n, n);
    f64Array(F, n);
    for (int i = 0; i < n * (n + 1); i++)
        L[i] = i % 7;
    for (int i = 0; i < (n + 1) * (n + 2); i++)
        R[i] = i % 4;
    for (int i = 0; i < (2 * n + 1) * (3 * n + 2); i++)
        G[i] = i % 11;
    #pragma jolokia gpuIn(A) gpuOut(A)
    fill(array(A), 7);
    #pragma jolokia gpuIn(L, R, C) gpuOut(C) tile(16, 16, 1) scratchpad(L, 16, 16, 1) scratchpad(R, 16, 16, 1)
    product(array(L), array(R), array(C));
    #pragma jolokia gpuIn(G) gpuOut(D) tile(32, 8, 1)
    stencil(array(G), array(D));
    #pragma jolokia gpuIn(G) gpuOut(E, F)
    apart(array(G), array(E), array(F));
    printf("%d: %d %g %g %g", n, dimension(A), look(array(D)), look(array(E)), look(array(F)));
    printf(" %g", by_hand(n, A, C, D, E, F));
    i64Alias(V, A);
    modify_array(V, 2, n, 3 * (n + 1), 1);
    if (n > 1) {
        i64Alias(W, A, 1, 1, 1);
        modify_array(W, 3, n - 1, length(A, 1), length(A, 2));
        #pragma jolokia gpuIn(V) gpuOut(V)
        fill(array(V), 5);
        printf(" %d %ld %ld %ld", dimension(V), elem(V, n - 1, 2), elem(W, 0, 0, 0), elem(W, n - 2, 1, n - 1));
    }
    printf("\n");
}

int main(void)
{
    int sizes[] = {0, 1, 2, 5, 33};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
