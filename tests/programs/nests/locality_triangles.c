// Products with triangular matrices, each result with terms of its own, and with symmetric ones, of which each half is a sum. The other
// half of the matrix is no number at all, and rows that nobody asks for are not there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCT(type, name, lower, upper, left, right)                                             \
    static void name##_##type(int n, int m, type *restrict c, const type *restrict a,              \
                              const type *restrict b)                                              \
    {                                                                                              \
        _Pragma("acc kernels copy(c[0:n * m]) copyin(a[0:n * n], b[0:n * m])")                     \
        for (int i = 0; i < n; i++)                                                                \
            for (int j = 0; j < m; j++)                                                            \
                for (int k = lower; k < upper; k++)                                                \
                    c[i * m + j] += a[left] * b[right];                                            \
    }
#define PRODUCTS(type)                                                                             \
    PRODUCT(type, behind, i + 1, n, k * n + i, k * m + j)                                          \
    PRODUCT(type, from, i, n, i * n + k, k * m + j)                                                \
    PRODUCT(type, in_front, 0, i, i * n + k, j * n + k)                                            \
    PRODUCT(type, up_to, 0, i + 1, k * n + i, k * m + j)                                           \
    PRODUCT(type, across, 0, n - i, i * n + k, k * m + j)
PRODUCTS(float)
PRODUCTS(double)
PRODUCTS(int)

static void symmetric(int n, int m, double *restrict c, const double *restrict a, const double *restrict b)
{
    #pragma acc kernels copy(c[0:n * m]) copyin(a[0:n * n], b[0:n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double below = 0;
            for (int k = 0; k < i; k++)
                below += a[i * n + k] * b[k * m + j];
            double all = 0.5 * c[i * m + j] + a[i * n + i] * b[i * m + j] + 2 * below;
            for (int k = i + 1; k < n; k++)
                all += a[k * n + i] * b[k * m + j];
            c[i * m + j] = all;
        }
}

// Upper times lower: terms behind the row and the column.
static void both(int n, float *restrict c, const float *restrict a, const float *restrict b)
{
    #pragma acc kernels copy(c[0:n * n]) copyin(a[0:n * n], b[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = i > j ? i : j; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

// Twice the same columns: the mean, and how far from it.
static void spread(int n, int m, double *restrict c, const double *restrict a, const double *restrict b)
{
    #pragma acc kernels copyout(c[0:n * m]) copyin(a[0:n * n], b[0:n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0, squares = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * m + j];
            for (int k = 0; k < n; k++)
                squares += (a[i * n + k] - sum) * (b[k * m + j] - sum);
            c[i * m + j] = squares;
        }
}

static int errors;

// Small numbers, so that every sum is exact, but where `unused` says so.
#define CHECK(type, name, lower, upper, left, right, nothing)                                      \
    static void check_##name##_##type(int n, int m)                                                \
    {                                                                                              \
        size_t whole = (size_t)n * (n > m ? n : m) + 1;                                            \
        type *a = malloc(whole * sizeof *a), *b = malloc(whole * sizeof *b);                       \
        type *c = malloc(whole * sizeof *c), *d = malloc(whole * sizeof *d);                       \
        for (size_t i = 0; i < whole; i++) {                                                       \
            a[i] = nothing;                                                                        \
            b[i] = (type)(i * 7 % 11) - 5;                                                         \
            c[i] = d[i] = (type)(i % 13);                                                          \
        }                                                                                          \
        for (int i = 0; i < n; i++)                                                                \
            for (int k = lower; k < upper; k++)                                                    \
                a[left] = (type)((i + 3 * k) % 9) - 4;                                             \
        for (int i = 0; i < n; i++)                                                                \
            for (int j = 0; j < m; j++)                                                            \
                for (int k = lower; k < upper; k++)                                                \
                    d[i * m + j] += a[left] * b[right];                                            \
        name##_##type(n, m, c, a, b);                                                              \
        errors += memcmp(c, d, (size_t)n * m * sizeof *c) != 0;                                    \
        free(a), free(b), free(c), free(d);                                                        \
    }
#define CHECKS(type, nothing)                                                                      \
    CHECK(type, behind, i + 1, n, k * n + i, k * m + j, nothing)                                   \
    CHECK(type, from, i, n, i * n + k, k * m + j, nothing)                                         \
    CHECK(type, in_front, 0, i, i * n + k, j * n + k, nothing)                                     \
    CHECK(type, up_to, 0, i + 1, k * n + i, k * m + j, nothing)                                    \
    CHECK(type, across, 0, n - i, i * n + k, k * m + j, nothing)                                   \
    static void check_##type(int n, int m)                                                         \
    {                                                                                              \
        check_behind_##type(n, m), check_from_##type(n, m), check_up_to_##type(n, m);              \
        check_across_##type(n, m), check_in_front_##type(n, n < m ? n : m);                        \
    }
CHECKS(float, NAN)
CHECKS(double, NAN)
CHECKS(int, 1 << 20)

static void show(const char *name, int n, size_t count, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * (double)(i % 7 + 1);
    printf("%s %d: %.1f\n", name, n, sum);
}

int main(void)
{
    static const int sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {2, 5}, {31, 37}, {83, 97}, {128, 128}, {257, 263}};
    enum { MOST = 257 * 263 };
    static double a[MOST], b[MOST], c[MOST];
    static float fa[MOST], fb[MOST], fc[MOST];
    for (int at = 0; at < 8; at++) {
        int n = sizes[at][0], m = sizes[at][1];
        check_float(n, m), check_double(n, m), check_int(n, m);
        for (int i = 0; i < MOST; i++) {
            fa[i] = (float)(a[i] = (i * 5 + 1) % 8 - 3);
            fb[i] = (float)(b[i] = (i * 3 + 2) % 16 - 7);
            c[i] = i % 32;
        }
        symmetric(n, m, c, a, b);
        show("symmetric", n, (size_t)n * m, c);
        spread(n, m, c, a, b);
        show("spread", n, (size_t)n * m, c);
        both(n, fc, fa, fb);
        for (int i = 0; i < n * n; i++)
            c[i] = fc[i];
        show("both", n, (size_t)n * n, c);
    }
    printf("%d errors\n", errors);
    return 0;
}
