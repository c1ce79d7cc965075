/* Arrays of structures are arrays of their members: grids of records with borders, products of complex numbers, members that
   are arrays, members of several types and of one byte, records copied whole, unions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct complex { float re, im; };
struct cell { double flow[9]; int kind; float weight; };
struct mixed { char tag; short low; int id; double value; };
union word { float f; int i; };
struct tagged { int tag; union word of; };

static void grid(int n, int m, struct complex *restrict g, const struct complex *restrict h)
{
#pragma acc kernels copy(g[0:n * m]) copyin(h[0:n * m])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            g[i * m + j].re = h[i * m + j - 1].re + h[i * m + j + 1].re + h[(i - 1) * m + j].im;
            g[i * m + j].im = h[(i + 1) * m + j].re - h[i * m + j].im;
        }
}

static void grid_in_rows(int n, int m, struct complex g[n][m], struct complex h[n][m])
{
#pragma acc kernels
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            g[i][j].re = h[i][j - 1].re + h[i][j + 1].re + h[i - 1][j].im;
            g[i][j].im = h[i + 1][j].re - h[i][j].im;
        }
}

/* The real parts of a row are made of those of the row before: rows stay in order. */
static void carried(int n, int m, struct complex *g)
{
#pragma acc kernels copy(g[0:n * m])
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) {
            g[i * m + j].re += g[(i - 1) * m + j].re;
            g[i * m + j].im += g[i * m + j].re;
        }
}

static void product(int n, int m, int k, struct complex *restrict c, const struct complex *restrict a,
                    const struct complex *restrict b)
{
#pragma acc kernels copyout(c[0:n * m]) copyin(a[0:n * k], b[0:k * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float re = 0, im = 0;
            for (int l = 0; l < k; l++) {
                re += a[i * k + l].re * b[l * m + j].re - a[i * k + l].im * b[l * m + j].im;
                im += a[i * k + l].re * b[l * m + j].im + a[i * k + l].im * b[l * m + j].re;
            }
            c[i * m + j].re = re;
            c[i * m + j].im = im;
        }
}

/* Members are arrays, walked over by a loop. */
static void lattice(int n, struct cell *restrict to, const struct cell *restrict from)
{
#pragma acc kernels copy(to[0:n]) copyin(from[0:n])
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < 9; q++)
            sum += from[i].flow[q];
        for (int q = 0; q < 9; q++)
            to[i].flow[q] = from[i].kind == 1 ? from[i].flow[8 - q] : sum / (q + 1);
        to[i].weight = from[i].weight + sum;
    }
}

static void several(int n, struct mixed *x, int step)
{
#pragma acc parallel loop copy(x[0:n * step])
    for (int i = 0; i < n; i++) {
        x[i * step].value += x[i * step].id;
        x[i * step].low = x[i * step].tag + 1;
        x[i * step].tag = x[i * step].tag * 2;
    }
}

/* Every other record: two of them are one to the compiler. */
static void pairs(int n, struct mixed *x)
{
#pragma acc kernels copy(x[0:2 * n])
    for (int i = 0; i < n; i++)
        x[2 * i + 1].value = x[2 * i].value * 2;
}

static void whole(int n, struct mixed *restrict to, const struct mixed *restrict from, const int *restrict at)
{
#pragma acc parallel loop copy(to[0:n]) copyin(from[0:n], at[0:n])
    for (int i = 0; i < n; i++) {
        to[i] = from[at[i]];
        to[i].id++;
    }
}

static void unions(int n, struct tagged *x)
{
#pragma acc kernels copy(x[0:n])
    for (int i = 0; i < n; i++) {
        if (x[i].tag & 1)
            x[i].of.f = x[i].of.f * 2;
        else
            x[i].of.i = x[i].of.i + 3;
    }
}

static void counts(int n, int bins, const int *restrict of, struct mixed *restrict in)
{
#pragma acc parallel loop copy(in[0:bins]) copyin(of[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        in[of[i]].id += 1;
    }
}

static unsigned hash(unsigned h, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        h = (h ^ at[i]) * 16777619u;
    return h;
}

static void of_mixed(const char *what, int n, const struct mixed *x)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) {
        h = hash(h, &x[i].tag, sizeof x[i].tag);
        h = hash(h, &x[i].low, sizeof x[i].low);
        h = hash(h, &x[i].id, sizeof x[i].id);
        h = hash(h, &x[i].value, sizeof x[i].value);
    }
    printf("%s %08x\n", what, h);
}

static void run(int n, int m, int k)
{
    size_t most = (size_t)n * m + (size_t)n * k + (size_t)k * m + 2 * n + 1;
    struct complex *a = calloc(most, sizeof *a), *b = calloc(most, sizeof *b), *c = calloc(most, sizeof *c);
    for (size_t i = 0; i < most; i++) {
        a[i] = (struct complex){i % 7 - 3.0f, i % 5 - 2.0f};
        b[i] = (struct complex){i % 3 - 1.0f, i % 11 - 5.0f};
    }
    printf("%d %d %d\n", n, m, k);
    memcpy(c, b, most * sizeof *c);
    grid(n, m, c, a);
    printf("grid %08x\n", hash(2166136261u, c, most * sizeof *c));
    grid_in_rows(n, m, (struct complex(*)[m])c, (struct complex(*)[m])a);
    printf("rows %08x\n", hash(2166136261u, c, most * sizeof *c));
    carried(n, m, c);
    printf("carried %08x\n", hash(2166136261u, c, most * sizeof *c));
    product(n, m, k, c, a, b);
    printf("product %08x\n", hash(2166136261u, c, (size_t)n * m * sizeof *c));

    struct cell *to = calloc(n + 1, sizeof *to), *from = calloc(n + 1, sizeof *from);
    for (int i = 0; i < n; i++) {
        for (int q = 0; q < 9; q++)
            from[i].flow[q] = (i * 9 + q) % 16 - 4;
        from[i].kind = i % 3;
        from[i].weight = i % 4;
    }
    lattice(n, to, from);
    printf("lattice %08x\n", hash(2166136261u, to, n * sizeof *to));

    struct mixed *x = calloc(3 * n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y);
    int *at = calloc(n + 1, sizeof *at);
    for (int i = 0; i < 3 * n; i++) {
        x[i].tag = i % 50;
        x[i].id = i;
        x[i].value = i * 0.5;
    }
    for (int i = 0; i < n; i++)
        at[i] = n - 1 - i;
    several(n, x, 3);
    of_mixed("several", 3 * n, x);
    pairs(n, x);
    of_mixed("pairs", 3 * n, x);
    whole(n, y, x, at);
    of_mixed("whole", n, y);
    for (int i = 0; i < n; i++)
        at[i] %= 3;
    counts(n, 3, at, x);
    of_mixed("counts", 3 * n, x);

    struct tagged *z = calloc(n + 1, sizeof *z);
    for (int i = 0; i < n; i++) {
        z[i].tag = i;
        if (i & 1)
            z[i].of.f = i;
        else
            z[i].of.i = i;
    }
    unions(n, z);
    printf("unions %08x\n", hash(2166136261u, z, n * sizeof *z));
    free(a), free(b), free(c), free(to), free(from), free(x), free(y), free(at), free(z);
}

int main(void)
{
    run(3, 1, 1);
    run(17, 23, 5);
    run(128, 64, 33);
    run(131, 257, 16);
    return 0;
}
