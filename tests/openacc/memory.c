/* memcpy, memmove, mempcpy, memset, bzero, malloc, calloc and free in device code: sizes 0, 1, odd and known at run time; what
   overlaps, what is not aligned, numbers as bytes, rows, structures with padding. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define N 67
#define M 24

struct padded { double weight; int number; char letter; };
struct pair { struct padded first; short second[3]; };
union word { float value; unsigned char bytes[4]; };

static int wrong;

static void check(const char *what, int right)
{
    printf("%s %s\n", what, right ? "right" : "wrong");
    wrong |= !right;
}

static int same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* Sizes from 0 to N - 1 at every alignment, in bytes. */
static void bytes(void)
{
    static unsigned char from[N][N + 16], to[N][N + 16], expected[N][N + 16];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N + 16; j++) {
            from[i][j] = 3 * i + 5 * j;
            to[i][j] = expected[i][j] = 200;
        }
    for (int i = 0; i < N; i++)
        memcpy(expected[i] + i % 8, from[i] + i % 5, i);
    #pragma acc parallel loop copyin(from) copy(to)
    for (int i = 0; i < N; i++)
        memcpy(to[i] + i % 8, from[i] + i % 5, i);
    check("bytes", same(to, expected, sizeof to));

    for (int i = 0; i < N; i++)
        memset(expected[i] + i % 3, i - 5, i);
    #pragma acc parallel loop copy(to)
    for (int i = 0; i < N; i++)
        memset(to[i] + i % 3, i - 5, i);
    check("set", same(to, expected, sizeof to));

    for (int i = 0; i < N; i++) {
        memmove(expected[i] + i % 7, expected[i] + 3, i);
        memmove(expected[i] + 1, expected[i], 5);
    }
    #pragma acc parallel loop copy(to)
    for (int i = 0; i < N; i++) {
        memmove(to[i] + i % 7, to[i] + 3, i);
        memmove(to[i] + 1, to[i], 5);
    }
    check("moved", same(to, expected, sizeof to));
}

/* Arrays of numbers stay arrays of numbers. */
static void numbers(int n, int m)
{
    double *a = malloc(n * m * sizeof *a), *b = malloc(n * m * sizeof *b), *c = malloc(n * m * sizeof *c);
    for (int i = 0; i < n * m; i++) {
        a[i] = i + 0.5;
        b[i] = c[i] = -1;
    }
    #pragma acc parallel loop copyin(a[0:n * m]) copy(b[0:n * m])
    for (int i = 0; i < n; i++) {
        memcpy(&b[i * m], a + (n - 1 - i) * m, m * sizeof(double));
        memset(b + i * m, 0, (size_t)(m / 2) * sizeof *b);
    }
    for (int i = 0; i < n; i++) {
        memcpy(&c[i * m], a + (n - 1 - i) * m, m * sizeof(double));
        memset(c + i * m, 0, (size_t)(m / 2) * sizeof *c);
    }
    check("numbers", same(b, c, n * m * sizeof *b));
    #pragma acc parallel loop copy(b[0:n * m])
    for (int i = 0; i < n; i++)
        if (m > 3) {
            memmove(b + i * m + 1, b + i * m, (m - 3) * sizeof *b);
            memmove(b + i * m, b + i * m + 2, (m - 2) * sizeof *b);
        }
    for (int i = 0; i < n; i++)
        if (m > 3) {
            memmove(c + i * m + 1, c + i * m, (m - 3) * sizeof *c);
            memmove(c + i * m, c + i * m + 2, (m - 2) * sizeof *c);
        }
    check("numbers moved", same(b, c, n * m * sizeof *b));
    free(a);
    free(b);
    free(c);
}

/* A float's bits, and numbers packed into bytes at odd places. */
static void puns(void)
{
    float x[N];
    unsigned bits[N], expected[N];
    static unsigned char packed[N * 13 + 1], known[N * 13 + 1];
    double back[N];
    for (int i = 0; i < N; i++) {
        x[i] = i / 7.0f - 3;
        memcpy(&expected[i], &x[i], sizeof x[i]);
    }
    #pragma acc parallel loop copyin(x) copyout(bits)
    for (int i = 0; i < N; i++) {
        float value = x[i];
        memcpy(&bits[i], &value, sizeof value);
    }
    check("bits", same(bits, expected, sizeof bits));
    for (int i = 0; i < N; i++) {
        double wide = x[i] * 3;
        memcpy(known + 13 * i + 1, &wide, 8);
        memcpy(known + 13 * i + 9, &x[i], 4);
    }
    #pragma acc parallel loop copyin(x) copy(packed)
    for (int i = 0; i < N; i++) {
        double wide = x[i] * 3;
        unsigned char *end = mempcpy(packed + 13 * i + 1, &wide, sizeof wide);
        memcpy(end, &x[i], sizeof x[i]);
    }
    check("packed", same(packed, known, sizeof packed));
    #pragma acc parallel loop copyin(packed) copyout(back)
    for (int i = 0; i < N; i++) {
        double wide;
        union word word;
        memcpy(&wide, packed + 13 * i + 1, sizeof wide);
        memcpy(&word, packed + 13 * i + 9, sizeof word);
        back[i] = wide + word.value;
    }
    int right = 1;
    for (int i = 0; i < N; i++)
        right &= back[i] == (double)(x[i] * 3) + x[i];
    check("unpacked", right);
}

/* Rows of arrays, whole ones and several. */
static void rows(int n, int m)
{
    static float a[N][4][M], b[N][4][M], c[N][4][M];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < M; k++) {
                a[i][j][k] = i + 10 * j + 100 * k;
                b[i][j][k] = c[i][j][k] = 7;
            }
    #pragma acc parallel loop copyin(a) copy(b)
    for (int i = 0; i < n; i++) {
        memcpy(b[i], a[N - 1 - i], sizeof b[i]);
        memcpy(b[i] + 1, a[i], 2 * sizeof b[i][0]);
        memset(b[i][3], 0, m * sizeof(float));
        memcpy(&b[i][0][3], &a[i][1][2], 5 * sizeof(float));
    }
    for (int i = 0; i < n; i++) {
        memcpy(c[i], a[N - 1 - i], sizeof c[i]);
        memcpy(c[i] + 1, a[i], 2 * sizeof c[i][0]);
        memset(c[i][3], 0, m * sizeof(float));
        memcpy(&c[i][0][3], &a[i][1][2], 5 * sizeof(float));
    }
    check("rows", same(b, c, sizeof b));

    int (*v)[m] = malloc(n * sizeof *v), (*w)[m] = malloc(n * sizeof *w);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            v[i][j] = w[i][j] = i * m + j;
    #pragma acc parallel loop copy(v[0:n][0:m])
    for (int i = 0; i < n; i++) {
        if (i % 2)
            memset(v[i], -1, sizeof v[i]);
        else
            memmove(v[i] + 1, v[i], (m - 1) * sizeof(int));
    }
    for (int i = 0; i < n; i++) {
        if (i % 2)
            memset(w[i], -1, sizeof w[i]);
        else
            memmove(w[i] + 1, w[i], (m - 1) * sizeof(int));
    }
    check("rows of run-time length", same(v, w, n * sizeof *v));
    free(v);
    free(w);
}

/* All bytes of structures: those between members too. */
static void structures(int n)
{
    struct padded *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    struct pair *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
    #pragma acc parallel loop copyout(a[0:n], b[0:n], p[0:n], q[0:n])
    for (int i = 0; i < n; i++) {
        struct padded one;
        memset(&one, 0, sizeof one);
        one.number = i;
        a[i] = one;
        struct pair two = { { 0.5 * i, i, 'x' }, { 1, 2, 3 } };
        memcpy(&p[i], &two, sizeof two);
        memcpy(b + i, &one, sizeof *b);
        q[i] = two;
        struct pair *at = &q[i];
        at->second[1] = at->first.number;
        bzero(&at->first, sizeof(struct padded));
    }
    struct padded zero;
    memset(&zero, 0, sizeof zero);
    int right = 1;
    for (int i = 0; i < n; i++) {
        zero.number = i;
        right &= same(&a[i], &zero, sizeof zero) && same(&b[i], &zero, sizeof zero);
        right &= p[i].first.weight == 0.5 * i && p[i].first.letter == 'x' && p[i].second[2] == 3;
        right &= q[i].first.weight == 0 && q[i].first.number == 0 && q[i].second[1] == (short)i;
    }
    check("structures", right);
    #pragma acc parallel loop copyin(a[0:n], p[0:n]) copyout(b[0:n], q[0:n])
    for (int i = 0; i < n; i++) {
        memcpy(&b[n - 1 - i], &a[i], sizeof *a);
        memcpy(q + i, p + i, sizeof *p * (i % 2 + 0u));
        if (i % 2 == 0)
            memset(&q[i], i, sizeof(struct pair));
    }
    right = 1;
    for (int i = 0; i < n; i++) {
        struct pair all;
        memset(&all, i, sizeof all);
        right &= b[n - 1 - i].number == i && same(&q[i], i % 2 ? &p[i] : &all, sizeof all);
    }
    check("structures copied", right);
    free(a);
    free(b);
    free(p);
    free(q);
}

/* The device's heap. */
static void heap(int n)
{
    long sum[N];
    int none = -1;
    #pragma acc parallel loop copyout(sum)
    for (int i = 0; i < N; i++) {
        int count = i % n + 1;
        int *fresh = calloc(count, sizeof *fresh), *copy = malloc(count * sizeof *copy);
        sum[i] = -1;
        if (fresh && copy) {
            long clear = 0;
            for (int k = 0; k < count; k++)
                clear |= fresh[k];
            for (int k = 0; k < count; k++)
                fresh[k] = k;
            memcpy(copy, fresh, count * sizeof *copy);
            memmove(copy + 1, copy, (count - 1) * sizeof *copy);
            sum[i] = clear;
            for (int k = 0; k < count; k++)
                sum[i] += copy[k];
        }
        free(fresh);
        free(copy);
    }
    int right = 1;
    for (int i = 0; i < N; i++) {
        long count = i % n + 1;
        right &= sum[i] == (count - 1) * (count - 2) / 2;
    }
    check("heap", right);
    volatile size_t large = SIZE_MAX / 2;
    size_t much = large;
    #pragma acc serial copyout(none)
    none = calloc(much, 4) == NULL;
    check("too much", none == 1);
}

int main(void)
{
    bytes();
    numbers(5, 9);
    numbers(1, 1);
    numbers(33, 64);
    rows(N, 17);
    rows(1, 1);
    structures(50);
    structures(1);
    puns();
    heap(13);
    return wrong;
}
