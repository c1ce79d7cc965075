// Subscripts in unsigned numbers of 32 bits: rows, triangles, reversed and descending loops, and strides of 2^32 - 1, which go
// back by one because they wrap.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 5000 };

static void rows(unsigned n, unsigned m, unsigned stride, float *a, float *b)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < m; j++)
            a[i * m + j] = b[i * stride + j] * 2 + a[i * m + j];
}

static void strides(unsigned n, unsigned stride, float *a)
{
    #pragma acc kernels copy(a[0:1000])
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 10; j < 20; j++)
            a[10 + i * stride + j] += 1 + i;
}

// In no clause: where subscripts wrap, what the pointer points to has to be there.
static void strides_of_present(unsigned n, unsigned stride, float *a)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 10; j < 20; j++)
            a[10 + i * stride + j] += 1 + i;
}

static void reversed(unsigned n, float *a, float *b)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        a[n - 1 - i] = b[i] + b[n - 1 - i];
}

static void triangle(unsigned n, float *a)
{
    #pragma acc kernels copy(a[0:n*n])
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++)
            a[i * n + j] += a[j * n + i];
}

static void down(unsigned n, float *a, float *b)
{
    #pragma acc kernels
    for (unsigned i = n; i-- > 0;)
        a[i] = b[i] + i;
}

static void cross(unsigned n, unsigned m, float *a, float *b)
{
    #pragma acc parallel loop collapse(2)
    for (unsigned i = 1; i < n - 1; i++)
        for (unsigned j = 1; j < m - 1; j++)
            a[i * m + j] = b[(i - 1) * m + j] + b[(i + 1) * m + j] + b[i * m + j - 1] + b[i * m + j + 1];
}

static void product(unsigned n, const float *a, const float *b, float *c)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            float sum = 0;
            for (unsigned l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

int main(void)
{
    static const unsigned sizes[][2] = {{37, 53}, {1, 3}, {16, 64}, {64, 16}, {17, 1}};
    for (int z = 0; z < 5; z++) {
        unsigned n = sizes[z][0], m = sizes[z][1];
        float *a = malloc(sizeof(float) * SIZE), *b = malloc(sizeof(float) * SIZE);
        float *c = calloc(SIZE, sizeof(float));
        for (int i = 0; i < SIZE; i++) {
            a[i] = i % 13;
            b[i] = i % 7;
        }
        rows(n, m, m, a, b);
        rows(n, m, m + 5, a, b);
        rows(0, m, m, a, b);
        strides(n > 19 ? 19 : n, -1u, a);
        strides(7, 20, a);
        #pragma acc data copy(a[0:SIZE])
        {
            strides_of_present(n > 19 ? 19 : n, -1u, a);
            strides_of_present(5, -2u, a);
        }
        strides_of_present(5, 21, a);
        reversed(n * m, a, b);
        reversed(1, a, b);
        reversed(0, a, b);
        triangle(m, a);
        triangle(1, a);
        triangle(0, a);
        down(n * m, a, b);
        down(0, a, b);
        cross(n, m > 1 ? m : 2, b, a);
        product(n, a, b, c);
        product(0, a, b, c);
        double sum = 0;
        for (int i = 0; i < SIZE; i++)
            sum += a[i] * (i % 5) + b[i] * (i % 17) + c[i] * (i % 3);
        printf("%.9g\n", sum);
        free(a);
        free(b);
        free(c);
    }
    return 0;
}
