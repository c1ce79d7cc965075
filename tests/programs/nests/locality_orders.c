/* A product of matrices in every order of its loops, with what is often written round them. */
#include <stdio.h>
#include <stdlib.h>

#define ORDER(name, first, second, third)                                                      \
    static void name(int n, int m, int l, float *restrict c, const float *restrict a,          \
                     const float *restrict b)                                                  \
    {                                                                                          \
        _Pragma("acc kernels") for (first) for (second) for (third) c[i * m + j] +=            \
            a[i * l + k] * b[k * m + j];                                                       \
    }
#define I int i = 0; i < n; i++
#define J int j = 0; j < m; j++
#define K int k = 0; k < l; k++
ORDER(ijk, I, J, K)
ORDER(ikj, I, K, J)
ORDER(jik, J, I, K)
ORDER(jki, J, K, I)
ORDER(kij, K, I, J)
ORDER(kji, K, J, I)

static void scaled(int n, int m, int l, float *restrict c, const float *restrict a, const float *restrict b)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            c[i * m + j] *= 0.5f;
        for (int k = 0; k < l; k++) {
            float r = 2 * a[i * l + k];
            for (int j = 0; j < m; j++)
                c[i * m + j] += r * b[k * m + j];
        }
    }
}

static void lower(int n, int m, int l, float *restrict c, const float *restrict a, const float *restrict b)
{
    (void)m;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int k = 0; k < l; k++)
            for (int j = 0; j <= i; j++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

/* Three components: as many dimensions of a grid would compute the distance three times. */
static void forces(int n, int m, int l, float *restrict c, const float *restrict a, const float *restrict b)
{
    (void)m;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int k = 0; k < l; k++) {
            float r = a[i] - b[k];
            float s = r / (1 + r * r);
            for (int d = 0; d < 3; d++)
                c[3 * i + d] += s * (d + 1);
        }
}

typedef void Product(int, int, int, float *, const float *, const float *);

int main(void)
{
    Product *const all[] = {ijk, ikj, jik, jki, kij, kji, scaled, lower, forces};
    const int sizes[][3] = {{0, 1, 1}, {1, 1, 0}, {1, 1, 1}, {33, 33, 17}, {64, 64, 64}, {129, 131, 37}};
    for (int s = 0; s < 6; s++)
        for (int p = 0; p < 9; p++) {
            int n = sizes[s][0], m = sizes[s][1], l = sizes[s][2], most = 3 + n * (m > n ? m : n) + n * 3;
            float *a = malloc(sizeof(float) * (n * l + n + 1)), *b = malloc(sizeof(float) * (l * m + n * l + l + 1));
            float *c = malloc(sizeof(float) * most);
            for (int i = 0; i < n * l + n; i++)
                a[i] = i % 5 - 2;
            for (int i = 0; i < l * m + n * l + l; i++)
                b[i] = i % 7 - 3;
            for (int i = 0; i < most; i++)
                c[i] = i % 3;
            all[p](n, m, l, c, a, b);
            double sum = 0;
            for (int i = 0; i < most; i++)
                sum += c[i] * (i % 11 + 1);
            printf("%d %d: %.2f\n", s, p, sum);
            free(a);
            free(b);
            free(c);
        }
    return 0;
}
