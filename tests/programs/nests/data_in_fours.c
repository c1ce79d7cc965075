/* Loops of a thread that walk along elements which follow each other, and are loaded together where a row begins at a multiple of
   their bytes: rows of all lengths, from all places, forwards and backwards, of all widths, and some that the loop writes itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct pair { unsigned re, im; };

/* Which rows begin at multiples of 16 bytes depends on m. */
static void product(int n, int m, const float *restrict a, const float *restrict b, float *restrict c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m], b[0:m*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            #pragma acc loop seq
            for (int k = 0; k < m; k++)
                sum += a[i * m + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

/* Two rows that have to be aligned both, from a place that is known at run time. */
static void dots(int n, int m, int from, const double *restrict a, const double *restrict x, double *restrict y)
{
    #pragma acc parallel loop copyin(a[0:n*m], x[0:m]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        double sum = 0;
        #pragma acc loop seq
        for (int k = from; k < m; k++)
            sum += a[i * m + k] * x[k];
        y[i] = sum;
    }
}

static void backwards(int n, int m, const int *restrict a, int *restrict y)
{
    #pragma acc parallel loop copyin(a[0:n*m]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        int sum = 1;
        #pragma acc loop seq
        for (int k = m - 1; k >= 0; k--)
            sum = sum * 3 + a[i * m + k];
        y[i] = sum;
    }
}

static void narrow(int n, int m, const unsigned char *restrict a, const short *restrict b, long *restrict y)
{
    #pragma acc parallel loop copyin(a[0:n*m], b[0:n*m]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        long sum = 0;
        #pragma acc loop seq
        for (int k = 0; k < m; k++)
            sum = 3 * sum + a[i * m + k] - b[i * m + k];
        y[i] = sum;
    }
}

/* The parts of a number lie beside each other in every row. */
static void records(int n, int m, const struct pair *restrict a, struct pair *restrict y)
{
    #pragma acc parallel loop copyin(a[0:n*m]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        struct pair sum = {1, 0};
        #pragma acc loop seq
        for (int k = 0; k < m; k++) {
            unsigned re = sum.re * a[i * m + k].re - sum.im * a[i * m + k].im;
            sum.im = sum.re * a[i * m + k].im + sum.im * a[i * m + k].re;
            sum.re = re;
        }
        y[i] = sum;
    }
}

/* What is loaded in one round has been written in the one before, or is written in the next. */
static void written(int n, int m, int *a, int *b)
{
    #pragma acc parallel loop copy(a[0:n*m], b[0:n*m])
    for (int i = 0; i < n; i++) {
        #pragma acc loop seq
        for (int k = 1; k < m; k++)
            a[i * m + k] += a[i * m + k - 1];
        #pragma acc loop seq
        for (int k = 0; k < m - 1; k++)
            b[i * m + k] -= 2 * b[i * m + k + 1];
    }
}

/* The same pointer in two parameters: neither is only read. */
static void shared(int n, int m, const int *a, int *b)
{
    #pragma acc parallel loop copy(b[0:n*m]) present_or_copy(a[0:n*m])
    for (int i = 0; i < n; i++) {
        int sum = 0;
        #pragma acc loop seq
        for (int k = 0; k < m; k++) {
            sum += a[i * m + k];
            b[i * m + (k + 1) % m] += sum;
        }
    }
}

static uint64_t digest = 14695981039346656037u;

static void add(const void *data, size_t bytes)
{
    for (const unsigned char *at = data; bytes-- > 0; at++)
        digest = (digest ^ *at) * 1099511628211u;
}

static void one(int n, int m, int off)
{
    size_t count = (size_t)n * m, room = count + (size_t)m + 8;
    float *a = calloc(room, sizeof *a), *b = calloc(room, sizeof *b), *c = calloc((size_t)n * n + 1, sizeof *c);
    double *d = calloc(room, sizeof *d), *x = calloc(room, sizeof *x), *y = calloc((size_t)n + 1, sizeof *y);
    int *p = calloc(room, sizeof *p), *q = calloc(room, sizeof *q);
    short *s = calloc(room, sizeof *s);
    unsigned char *u = calloc(room, 1);
    long *l = calloc((size_t)n + 1, sizeof *l);
    struct pair *z = calloc(room, sizeof *z), *w = calloc((size_t)n + 1, sizeof *w);
    for (size_t i = 0; i < room; i++) {
        a[i] = (float)(i % 13) - 5;
        b[i] = (float)(i % 7) - 3;
        d[i] = (double)(i % 11) - 4;
        x[i] = (double)(i % 5) - 1;
        p[i] = (int)(i * 7 % 19);
        q[i] = (int)(i * 5 % 23);
        s[i] = (short)(i * 37 % 101 - 50);
        u[i] = (unsigned char)(i * 91);
        z[i] = (struct pair){(unsigned)i % 3 - 1, (unsigned)i % 2};
    }
    product(n, m, a + off, b + off, c);
    add(c, (size_t)n * n * sizeof *c);
    for (int from = 0; from < 3; from++) {
        dots(n, m, from, d + off, x + (off & 1), y);
        add(y, (size_t)n * sizeof *y);
    }
    backwards(n, m, p + off, q);
    add(q, (size_t)n * sizeof *q);
    narrow(n, m, u + off, s + off, l);
    add(l, (size_t)n * sizeof *l);
    records(n, m, z + off, w);
    add(w, (size_t)n * sizeof *w);
    written(n, m, p + off, q + off);
    add(p, room * sizeof *p);
    add(q, room * sizeof *q);
    shared(n, m, p + off, q + off);
    shared(n, m, p + off, p + off);
    add(p, room * sizeof *p);
    add(q, room * sizeof *q);
    free(a), free(b), free(c), free(d), free(x), free(y), free(p), free(q), free(s), free(u), free(l), free(z), free(w);
}

int main(void)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 13, 15, 16, 17, 20, 31, 32, 33, 36, 64};
    one(0, 4, 0);
    one(3, 0, 0);
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++)
        for (int off = 0; off < 4; off++) {
            one(5, lengths[i], off);
            printf("%d %d %016llx\n", lengths[i], off, (unsigned long long)digest);
        }
    return 0;
}
