// Rows with a leading dimension of their own: parallel where they do not overlap, and right where
// they do. What the compiler assumes about the extents is tested at run time.
#include <stdio.h>
#include <stdlib.h>

static void rows(int n, int m, int lda, float *a)
{
    #pragma acc kernels copy(a[0:n * lda + m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * lda + j] = a[i * lda + j] * 0.5f + i + j;
}

static void planes(int n, int m, int l, int ldb, int ldc, int size, const float *b, float *c)
{
    #pragma acc parallel loop auto collapse(3) copyin(b[0:size]) copy(c[0:size])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                c[(i * ldb + j) * ldc + k] += b[(i * ldb + j) * l + k];
}

struct matrix {
    int rows, columns, stride;
};

static void members(struct matrix s, double *a)
{
    #pragma acc kernels copy(a[0:s.rows * s.stride + s.columns])
    for (int i = 0; i < s.rows; i++)
        for (int j = 1; j < s.columns; j++)
            a[i * s.stride + j] += a[i * s.stride + j - 1];
}

static float *numbers(int count)
{
    float *a = malloc((count + 1) * sizeof *a);
    for (int i = 0; i < count; i++)
        a[i] = (i * 37 % 101) * 0.25f;
    return a;
}

static double sum(const float *a, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += a[i] * (1 + i % 7);
    return total;
}

int main(void)
{
    int sizes[][3] = {{7, 5, 9}, {7, 9, 9}, {7, 9, 5}, {33, 40, 1}, {1, 6, 2}, {0, 4, 4}, {4, 0, 3}, {50, 3, 129}};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s][0], m = sizes[s][1], lda = sizes[s][2], count = n * lda + m;
        float *a = numbers(count);
        rows(n, m, lda, a);
        printf("rows %d %d %d: %.9g\n", n, m, lda, sum(a, count));
        free(a);
    }
    int shapes[][5] = {{3, 4, 5, 6, 7}, {3, 6, 7, 4, 5}, {2, 2, 9, 2, 3}, {1, 1, 1, 1, 1}};
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int *p = shapes[s], extent = p[0] * (p[1] + p[3]) * (p[2] + p[4]) + 64;
        float *b = numbers(extent), *c = numbers(extent);
        planes(p[0], p[1], p[2], p[3], p[4], extent, b, c);
        printf("planes %u: %.9g\n", s, sum(c, extent));
        free(b);
        free(c);
    }
    struct matrix whole = {6, 8, 11}, overlapping = {6, 8, 3};
    double d[80];
    for (int i = 0; i < 80; i++)
        d[i] = i % 13;
    members(whole, d);
    members(overlapping, d);
    double total = 0;
    for (int i = 0; i < 80; i++)
        total += d[i] * (i + 1);
    printf("members: %.17g\n", total);
    return 0;
}
