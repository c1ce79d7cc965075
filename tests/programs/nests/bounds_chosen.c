// Bounds that the program chooses: of bands, of tiles, of loops with two ends.
#include "nest.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define TILE 16

static unsigned a[MOST * MOST], b[MOST * MOST];

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static void band(int n, unsigned a[n][n], unsigned b[n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = MAX(0, i - 3); j < MIN(n, i + 4); j++)
            b[i][j] = a[i][j] * 2;
}

static void up_to(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = (i > 3 ? i - 3 : 0); j <= (i + 4 >= n ? n - 1 : i + 4); j++)
            a[i][j] += i + j;
}

static void tiles(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int ii = 0; ii < n; ii += TILE)
        for (int jj = 0; jj < n; jj += TILE)
            for (int i = ii; i < MIN(n, ii + TILE); i++)
                for (int j = jj; j < (jj + TILE < n ? jj + TILE : n); j++)
                    a[i][j] = 3 * a[i][j] + 1;
}

static void of_three(int n, long m, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < least(least(n, 2 * i), m); j++)
            a[i][j] ^= 5 * j;
}

static void set_before(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++) {
        int low = i - 2, high = i + 3;
        if (low < 0)
            low = 0;
        if (high > n)
            high = n;
        for (int j = low; j < high; j++)
            a[i][j] *= 3;
    }
}

static void two_ends(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && j <= i + 2; j += 2)
            a[i][j] += 7;
}

static void downwards(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++) {
        for (int j = MIN(n, i + 5) - 1; j >= MAX(0, i - 4); j--)
            a[i][j] += 3 * j;
        for (int j = n - 1; j >= 0 && j > i - 2; j--)
            a[i][j] ^= 9;
    }
}

// The greatest of a least one is no bound of an affine loop.
static void mixed(int n, int m, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = MAX(0, MIN(i, m)); j < MIN(n, MAX(i, m)); j++)
            a[i][j] += 11;
}

// Each step touches what the one before has, and more.
static void widening(int n, int steps, unsigned *x)
{
    #pragma acc kernels copy(x[0:n])
    for (int t = 0; t < steps; t++)
        for (int i = MAX(1, n / 2 - t); i < MIN(n - 1, n / 2 + t); i++)
            x[i] = x[i] + 2 * x[i + 1] + t;
}

int main(void)
{
    EACH_SIZE(n)
    {
        fill(n * n, a, 1);
        fill(n * n, b, 2);
        band(n, (void *)a, (void *)b);
        show("band", n, n * n, b);
        up_to(n, (void *)a);
        show("up to", n, n * n, a);
        tiles(n, (void *)a);
        show("tiles", n, n * n, a);
        of_three(n, n - 3, (void *)a);
        show("of three", n, n * n, a);
        set_before(n, (void *)a);
        show("set before", n, n * n, a);
        two_ends(n, (void *)a);
        show("two ends", n, n * n, a);
        downwards(n, (void *)a);
        show("downwards", n, n * n, a);
        mixed(n, n / 3, (void *)a);
        show("mixed", n, n * n, a);
        widening(n, 9, a);
        show("widening", n, n * n, a);
    }
    return 0;
}
