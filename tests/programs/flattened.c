// Loops over rows and columns, or planes too, in one variable that is taken apart.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4096 };

static void transpose(int n, int m, const float *restrict a, float *restrict b)
{
    #pragma acc kernels copyin(a[0:n*m]) copy(b[0:n*m])
    for (int p = 0; p < n * m; p++) {
        int i = p / m, j = p % m;
        b[j * n + i] = a[i * m + j];
    }
}

static void transpose_unsigned(unsigned n, unsigned m, const float *restrict a, float *restrict b)
{
    #pragma acc kernels copyin(a[0:n*m]) copy(b[0:n*m])
    for (unsigned p = 0; p < n * m; p++) {
        unsigned i = p / m, j = p % m;
        b[j * n + i] = a[p];
    }
}

static void mirror(int n, int m, const float *a, float *b)
{
    #pragma acc kernels
    for (int p = 0; p < n * m; p++) {
        int i = p / m, j = p - i * m;
        b[i * m + (m - 1 - j)] = a[p];
    }
}

static void planes(int n, int m, int l, const float *restrict a, float *restrict b)
{
    #pragma acc kernels
    for (int p = 0; p < n * m * l; p++) {
        int i = p / (m * l), j = (p / l) % m, k = p % l;
        b[(k * m + j) * n + i] = a[p];
    }
}

static void butterfly(int n, int h, float *restrict x)
{
    #pragma acc kernels copy(x[0:n])
    for (int t = 0; t < n / 2; t++) {
        int k = t / h, j = t % h;
        float u = x[2 * k * h + j], v = x[2 * k * h + j + h];
        x[2 * k * h + j] = u + v;
        x[2 * k * h + j + h] = u - v;
    }
}

// A last row that is shorter.
static void scatter(int n, const float *restrict a, float *restrict b)
{
    #pragma acc kernels copyin(a[0:n]) copy(b[0:1600])
    for (int p = 0; p < n; p++) {
        int i = p / 8, j = p % 8;
        b[j * 200 + i] = a[p];
    }
}

static void columns(int n, int m, const float *restrict a, float *restrict s)
{
    #pragma acc kernels copyin(a[0:n*m]) copy(s[0:m])
    for (int p = 0; p < n * m; p++)
        s[p % m] += a[p];
}

static float last_of_columns(int n, int m, float *restrict s)
{
    float last = 0;
    #pragma acc kernels copy(s[0:m])
    for (int p = 0; p < n; p++) {
        s[p % m] = s[p % m] * 0.5f + p / m;
        last = s[p % m];
    }
    return last;
}

// C says what a quotient by less than 1 is: the loop as it stands has to do it.
static void negative(int n, int m, float *restrict s)
{
    #pragma acc kernels copy(s[0:2*n])
    for (int p = 0; p < n; p++)
        s[n + p / m] = s[n + p / m] + p % m;
}

int main(void)
{
    float *a = malloc(sizeof(float) * SIZE), *b = calloc(SIZE, sizeof(float));
    for (int i = 0; i < SIZE; i++)
        a[i] = i % 13;
    static const int sizes[][2] = {{32, 40}, {1, 1}, {0, 3}, {3, 0}, {7, 64}, {61, 1}, {1, 61}};
    float last = 0;
    for (int z = 0; z < 7; z++) {
        int n = sizes[z][0], m = sizes[z][1];
        transpose(n, m, a, b);
        transpose_unsigned(m, n, b, a);
        mirror(n, m, a, b);
        columns(n, m, a, b);
    }
    planes(5, 7, 9, a, b);
    planes(1, 1, 1, a, b);
    planes(0, 3, 2, a, b);
    butterfly(1024, 8, b);
    butterfly(1024, 512, b);
    butterfly(64, 1, b);
    scatter(1003, a, b);
    scatter(0, a, b);
    scatter(7, a, b);
    last += last_of_columns(100, 7, b);
    last += last_of_columns(5, 7, b);
    last += last_of_columns(0, 7, b);
    negative(100, -7, b);
    negative(100, 9, b);
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += a[i] * (i % 5) + b[i] * (i % 17);
    printf("%.9g %g\n", sum, last);
    free(a);
    free(b);
    return 0;
}
