/* No pragma: products of matrices of fixed and of variable sizes, transposes, and rows behind pointers. */
#include <stdlib.h>

#include "../nests/nest.h"

#define N 19

static unsigned fixed[N][N], other[N][N], result[N][N];

static void fixed_product(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            result[i][j] = 0;
            for (int k = 0; k < N; k++)
                result[i][j] += fixed[i][k] * other[k][j];
        }
}

static void product(int n, const unsigned *a, const unsigned *b, unsigned *c)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void rows(int n, unsigned **a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += (unsigned)(i * j);
}

static void run(int n)
{
    unsigned *a = malloc((size_t)(n * n + 1) * sizeof *a);
    unsigned *b = malloc((size_t)(n * n + 1) * sizeof *b);
    unsigned *c = calloc((size_t)(n * n + 1), sizeof *c);
    unsigned **row = malloc((size_t)(n + 1) * sizeof *row);
    fill(n * n + 1, a, 71);
    fill(n * n + 1, b, 72);
    product(n, a, b, c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = c[i * n + j];
    for (int i = 0; i < n; i++)
        row[i] = b + i * n;
    rows(n, row);
    product(n, b, a, c);
    show("b", n, n * n + 1, b);
    show("c", n, n * n, c);
    free(a);
    free(b);
    free(c);
    free(row);
}

int main(void)
{
    fill(N * N, &fixed[0][0], 73);
    fill(N * N, &other[0][0], 74);
    fixed_product();
    other[3][4] = result[2][1];
    fixed_product();
    show("fixed", N, N * N, &result[0][0]);
    EACH_SIZE(n)
        run(n);
    return 0;
}
