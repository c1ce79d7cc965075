/* Pointers in no clause: what the loops touch is moved, no more and no less. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sum(const double *p, long count)
{
    unsigned s = 17;
    for (long i = 0; i < count; i++)
        s = s * 31 + (unsigned)(long)(p[i] * 16);
    return s;
}

/* Each array between guards that must stay as they are. */
static double *make(long count, int seed)
{
    double *p = malloc((size_t)(count + 2) * sizeof *p);
    p[0] = p[count + 1] = -seed;
    for (long i = 0; i < count; i++)
        p[i + 1] = (double)((i * 7 + seed) % 19) / 4;
    return p + 1;
}

static void done(const char *what, int n, double *p, long count)
{
    printf("%s %d: %u %g %g\n", what, n, sum(p, count), p[-1], p[count]);
    free(p - 1);
}

static void one_dimension(int n)
{
    double *a = make(n + 8, 1), *b = make(2 * n + 1, 2), *c = make(n, 3);
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        a[i + 3] = b[2 * i + 1] + 1;
    #pragma acc parallel loop
    for (int i = n - 1; i >= 0; i--)
        c[i] += a[n - 1 - i];
    /* Within conditions. */
    #pragma acc kernels
    for (int i = 0; i <= n; i++)
        if (i > 0 && i < n)
            c[i - 1] = 0.5 * c[i - 1] + b[i];
    done("a", n, a, n + 8);
    done("b", n, b, 2 * n + 1);
    done("c", n, c, n);
}

/* Rows written out, of true arrays, triangles, with steps. */
static void two_dimensions(int n, int lda)
{
    double *a = make((long)n * lda, 1), *x = make(n, 2), *y = make(n, 3);
    double (*m)[12] = (double (*)[12])make((long)n * 12, 4);
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[i * lda + j] += x[j];
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += a[j * lda + i] * x[j];
        y[i] = s;
    }
    #pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; i += 2)
        for (int j = 1; j < 11; j++)
            m[i][j] = m[i][j - 1 + 1] + i;
    done("rows", n, a, (long)n * lda);
    done("x", n, x, n);
    done("y", n, y, n);
    done("m", n, &m[0][0], (long)n * 12);
}

static void variable(int n, int k, double a[n][k], double b[][k + 2])
{
    #pragma acc kernels
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < k - 1; j++)
            a[i][j] = 0.25 * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
}

/* Members, several regions on data that is there, pointers that the region moves. */
struct grid {
    int n;
    double *cells, *next;
};

static void members(int n)
{
    struct grid g = { n, make(n, 5), make(n, 6) };
    #pragma acc parallel loop
    for (int i = 0; i < g.n; i++)
        g.next[i] = g.cells[i] * 2;
    double *p = g.next, *q = g.cells;
    #pragma acc data copy(p[0:n])
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++)
            p[i] += q[i];
        #pragma acc kernels
        for (int i = 0; i < n / 2; i++)
            p[i] = -p[i];
    }
    done("cells", n, g.cells, n);
    done("next", n, g.next, n);
}

/* Sequential loops round parallel ones, and one launch after another. */
static void steps(int n)
{
    double *a = make(n + 2, 7), *b = make(n + 2, 8);
    #pragma acc kernels
    for (int t = 0; t < 5; t++) {
        for (int i = 1; i <= n; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        for (int i = 1; i <= n; i++)
            a[i] = b[i];
    }
    done("a", n, a, n + 2);
    done("b", n, b, n + 2);
}

/* Conditions on sums of loop variables: what they leave ends at half of something. */
static void halves(int n)
{
    double *a = make((n + 1) / 2, 4), *b = make(n, 5), *c = make((long)n * n, 6);
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            if (2 * j < n)
                a[j] += b[i];
        }
    }
    done("half", n, a, (n + 1) / 2);
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            if (i + j < n)
                c[(long)i * n + j] += b[j];
            else
                b[i] += 1;
        }
    }
    done("both halves", n, b, n);
    done("a triangle's half", n, c, (long)n * n);
}

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 64 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        one_dimension(n);
        halves(n);
        two_dimensions(n, n + 3);
        double *a = make((long)n * (n + 1), 1), *b = make((long)n * (n + 3), 2);
        variable(n, n + 1, (double (*)[n + 1])a, (double (*)[n + 3])b);
        done("variable", n, a, (long)n * (n + 1));
        done("of others", n, b, (long)n * (n + 3));
        members(n);
        steps(n);
    }
    return 0;
}
