// Arrays touched by columns: read, written, of every size of element, under conditions, shifted, in stacks, in place.
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char byte;

static void add(int n, int m, const double *restrict a, const double *restrict b, double *restrict c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m], b[0:n*m]) copyout(c[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i * m + j] = a[j * n + i] + 2 * b[i * m + j] - b[j * n + i];
}

static void narrow(int n, int m, const byte *restrict a, short *restrict c)
{
    #pragma acc kernels copyin(a[0:n*m]) copyout(c[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[j * n + i] = a[i * m + j] * 3;
}

// What is stored under a condition stays where it is; what is read may move.
static void conditions(int n, int m, const float *restrict a, float *restrict c, float *restrict d)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(c[0:n*m], d[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float x = a[j * n + i];
            if (x > 0.5f)
                c[i * m + j] = x;
            if (a[i * m + j] > 0.25f)
                d[j * n + i] = a[i * m + j] + 1;
        }
}

// Read and written across: what one iteration writes, no other may find changed.
static void in_place(int n, float *a)
{
    #pragma acc parallel loop collapse(2) copy(a[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j < i) {
                float t = a[i * n + j];
                a[i * n + j] = a[j * n + i];
                a[j * n + i] = t;
            }
}

static void stacks(int k, int n, int m, const float *restrict a, float *restrict c)
{
    #pragma acc kernels copyin(a[0:k*n*m]) copyout(c[0:k*n*m])
    for (int l = 0; l < k; l++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                c[(l * m + j) * n + i] = a[(l * n + i) * m + j] + l;
}

static void shifted(int n, int m, const float *restrict a, float *restrict c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(c[0:n*m])
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 3; j++)
            c[j * n + i + 1] = a[i * m + j - 1] + a[(i - 1) * m + j + 2];
}

// Only the host finds whether these are apart.
static void pointers(int n, int m, const float *a, float *c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(c[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[j * n + i] = a[i * m + j];
}

// Read in an inner loop, written across and along.
static void inner_loop(int n, int m, const float *restrict a, float *restrict c, float *restrict d)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(c[0:n*m], d[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < 3; k++)
                s += a[j * n + i] * k;
            c[j * n + i] = s;
            d[i * m + j] += a[j * n + i];
        }
}

// Planes of one array, which stores across never meet in; the last one is read as well.
static void planes(int n, int m, const float *restrict a, float c[restrict 3][m][n])
{
    #pragma acc kernels copyin(a[0:n*m]) copy(c[0:3][0:m][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[0][j][i] = a[i * m + j] + c[2][j][i];
            c[1][j][i] = a[i * m + j] * 2;
        }
}

static void show(const char *name, const void *data, size_t bytes)
{
    const byte *at = data;
    unsigned long long hash = 1469598103934665603ull;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 1099511628211ull;
    printf(" %s %llx", name, hash);
}

int main(void)
{
    static const int sizes[][2] = {{0, 0}, {1, 1}, {31, 33}, {32, 32}, {33, 31}, {64, 64}, {67, 101}, {128, 40}, {5, 300}};
    for (int t = 0; t < 9; t++) {
        int n = sizes[t][0], m = sizes[t][1];
        size_t count = (size_t)n * m;
        double *a = malloc(3 * (count + 1) * sizeof *a), *b = a + count + 1, *r = b + count + 1;
        float *x = malloc(5 * (3 * count + 1) * sizeof *x), *c = x + 3 * count + 1, *d = c + 3 * count + 1;
        byte *u = malloc(count + 1);
        short *s = malloc((count + 1) * sizeof *s);
        for (size_t i = 0; i < 3 * count + 1; i++) {
            unsigned number = (unsigned)i * 2654435761u >> 7;
            if (i < count) {
                a[i] = number % 1000 / 8.0;
                b[i] = number % 100;
                u[i] = (byte)number;
            }
            x[i] = number % 128 / 128.0f;
            c[i] = d[i] = (float)(i % 11);
        }
        printf("%dx%d", n, m);
        add(n, m, a, b, r);
        show("add", r, count * sizeof *r);
        narrow(n, m, u, s);
        show("narrow", s, count * sizeof *s);
        conditions(n, m, x, c, d);
        show("conditions", c, count * sizeof *c);
        show("", d, count * sizeof *d);
        if (n == m) {
            in_place(n, c);
            show("in place", c, count * sizeof *c);
        }
        stacks(3, n, m, x, d);
        show("stacks", d, 3 * count * sizeof *d);
        shifted(n, m, x, c);
        show("shifted", c, count * sizeof *c);
        pointers(n, m, x, d);
        show("pointers", d, count * sizeof *d);
        inner_loop(n, m, x, c, d);
        show("inner loop", c, count * sizeof *c);
        show("", d, count * sizeof *d);
        planes(n, m, x, (void *)d);
        show("planes", d, 3 * count * sizeof *d);
        printf("\n");
        free(a);
        free(x);
        free(u);
        free(s);
    }
    return 0;
}
