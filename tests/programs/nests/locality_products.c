/* Products of every shape: grids that one tile fills and that another does, terms that are whole runs of tiles and that are not, rows that
 * begin at multiples of 16 bytes and that do not. */
#include <stdio.h>
#include <stdlib.h>

#define PRODUCT(T)                                                                                                                         \
    static void of_##T(int n, int m, int l, const T *restrict a, const T *restrict b, T *restrict c)                                       \
    {                                                                                                                                      \
        _Pragma("acc kernels copyin(a[0:n*l], b[0:l*m]) copy(c[0:n*m])")                                                                   \
        for (int i = 0; i < n; i++)                                                                                                        \
            for (int j = 0; j < m; j++) {                                                                                                  \
                T sum = 0;                                                                                                                 \
                for (int k = 0; k < l; k++)                                                                                                \
                    sum += a[i * l + k] * b[k * m + j];                                                                                    \
                c[i * m + j] = 2 * sum + c[i * m + j];                                                                                     \
            }                                                                                                                              \
    }                                                                                                                                      \
                                                                                                                                           \
    static void try_##T(int n, int m, int l)                                                                                               \
    {                                                                                                                                      \
        T *a = malloc(sizeof(T) * (n * l + 1)), *b = malloc(sizeof(T) * (l * m + 1)), *c = malloc(sizeof(T) * (n * m + 1));               \
        for (int i = 0; i < n * l; i++)                                                                                                    \
            a[i] = i * 7 % 11 - 5;                                                                                                         \
        for (int i = 0; i < l * m; i++)                                                                                                    \
            b[i] = i * 5 % 13 - 6;                                                                                                         \
        for (int i = 0; i < n * m; i++)                                                                                                    \
            c[i] = i % 17;                                                                                                                 \
        of_##T(n, m, l, a, b, c);                                                                                                          \
        long long sum = 0;                                                                                                                 \
        for (int i = 0; i < n * m; i++)                                                                                                    \
            sum = (sum * 31 + (long long)c[i]) % 1000003;                                                                                  \
        printf(#T " %d x %d x %d: %lld\n", n, m, l, sum);                                                                                  \
        free(a);                                                                                                                           \
        free(b);                                                                                                                           \
        free(c);                                                                                                                           \
    }

PRODUCT(float)
PRODUCT(double)

int main(void)
{
    /* Numbers are whole and small, so that every order of a sum and every rounding gives the same. */
    static const int sizes[][3] = {
        {0, 5, 7}, {1, 1, 1}, {5, 7, 0}, {33, 31, 32}, {100, 100, 100}, {224, 256, 32}, {224, 256, 33}, {224, 256, 47}, {230, 260, 40},
        {229, 259, 40}, {260, 1000, 36}, {260, 1003, 36}, {130, 2060, 31}, {1030, 516, 48}, {1030, 516, 56},
    };
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        try_float(sizes[s][0], sizes[s][1], sizes[s][2]);
        try_double(sizes[s][0], sizes[s][1], sizes[s][2]);
    }
    return 0;
}
