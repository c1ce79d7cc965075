// Neighbours read together: stars and squares, of every size of element, in inner loops, in flat arrays and such of variable
// length, with the border left out by bounds and by conditions, over time, in place, by planes of three dimensions.
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char byte;

static void star(int n, int m, const byte *restrict a, byte *restrict c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n*m]) copy(c[0:n*m])
    for (int i = 6; i < n - 6; i++)
        for (int j = 5; j < m - 7; j++) {
            int s = 0;
            for (int d = 0; d < 13; d++)
                s += a[(i + d - 6) * m + j] - 3 * a[i * m + j + d - 5];
            c[i * m + j] = (byte)s;
        }
}

// Only what the nest reads is there: no corners.
static void without_corners(int n, int m, const short *restrict a, short *restrict c)
{
    if (n < 21 || m < 21)
        return;
    #pragma acc parallel loop collapse(2) copyin(a[10:n*m-20]) copy(c[0:n*m])
    for (int i = 10; i < n - 10; i++)
        for (int j = 10; j < m - 10; j++) {
            int s = 0;
            for (int d = -10; d <= 10; d++)
                s += a[(i + d) * m + j] * 5 + a[i * m + j + d];
            c[i * m + j] = (short)s;
        }
}

static void square(int n, int m, byte (*restrict a)[m], byte (*restrict c)[m], const int (*w)[5])
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n][0:m], w[0:5][0:5]) copy(c[0:n][0:m])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++) {
            int s = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    s += a[i + y - 2][j + x - 2] * w[y][x];
            c[i][j] = s / 81;
        }
}

static void guarded(int n, int m, short (*restrict a)[m], short (*restrict c)[m])
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n][0:m]) copy(c[0:n][0:m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (i > 1 && i < n - 1 && j > 0 && j < m - 2)
                c[i][j] = a[i - 2][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 2] - a[i][j];
}

static void over_time(int n, int m, int steps, byte *a, byte *c)
{
    #pragma acc data copy(a[0:n*m], c[0:n*m])
    for (int t = 0; t < steps; t++) {
        #pragma acc parallel loop collapse(2) present(a, c)
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < m - 2; j++) {
                int s = 0;
                for (int y = -2; y <= 2; y++)
                    for (int x = -2; x <= 2; x++)
                        s += a[(i + y) * m + j + x] * (y + 3);
                c[i * m + j] = (byte)(s / 7);
            }
        byte *other = a;
        a = c;
        c = other;
    }
}

static void planes(int k, int n, int m, const byte *restrict a, byte *restrict c)
{
    #pragma acc parallel loop collapse(3) copyin(a[0:k*n*m]) copy(c[0:k*n*m])
    for (int l = 1; l < k - 1; l++)
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < m - 2; j++) {
                int s = a[((l - 1) * n + i) * m + j] + a[((l + 1) * n + i) * m + j];
                for (int y = -2; y <= 2; y++)
                    for (int x = -2; x <= 2; x++)
                        s += a[(l * n + i + y) * m + j + x];
                c[(l * n + i) * m + j] = (byte)s;
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
    static const int sizes[][2] = {{0, 0}, {1, 1}, {3, 3}, {31, 33}, {32, 32}, {33, 31}, {330, 331}, {100, 1031}};
    static const int weights[5][5] = {{1, 2, 3, 2, 1}, {2, 4, 6, 4, 2}, {3, 6, 9, 6, 3}, {2, 4, 6, 4, 2}, {1, 2, 3, 2, 1}};
    for (int t = 0; t < 8; t++) {
        int n = sizes[t][0], m = sizes[t][1], rows = m > 0 ? m : 1;
        size_t count = (size_t)n * m;
        byte *u = malloc(6 * (count + 1)), *v = u + 3 * (count + 1);
        short *r = malloc(2 * (count + 1) * sizeof *r), *s = r + count + 1;
        for (size_t i = 0; i < 3 * (count + 1); i++) {
            unsigned number = (unsigned)i * 2654435761u >> 7;
            u[i] = (byte)number;
            v[i] = 1;
            if (i < count) {
                r[i] = (short)(number % 2000);
                s[i] = 7;
            }
        }
        printf("%dx%d", n, m);
        star(n, m, u, v);
        show("star", v, count);
        without_corners(n, m, r, s);
        show("without corners", s, count * sizeof *s);
        square(n, rows, (byte (*)[rows])u, (byte (*)[rows])v, weights);
        show("square", v, count);
        guarded(n, rows, (short (*)[rows])r, (short (*)[rows])s);
        show("guarded", s, count * sizeof *s);
        planes(3, n, m, u, v);
        show("planes", v, 3 * count);
        over_time(n, m, 3, u, v);
        show("over time", u, count);
        show("", v, count);
        printf("\n");
        free(u);
        free(r);
    }
    return 0;
}
