// What a nest reads of an array as it was before, and loops that write beside what they sum up.
#include "nest.h"

static void shift(int n, unsigned *restrict x, unsigned *restrict y)
{
    #pragma acc kernels copy(x[0:n]) copyin(y[0:n])
    for (int i = 0; i < n - 1; i++)
        x[i] = x[i + 1] * 3 + y[i];
}

static void shift_down(int n, unsigned *restrict x)
{
    #pragma acc kernels copy(x[0:n])
    for (int i = n - 1; i >= 2; i--)
        x[i] = x[i - 1] * 3 + x[i - 2] + x[i];
}

// Each step reads what the one before has written.
static void steps(int steps, int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                a[i][j] += a[i + 1][j] * 3 + a[i][j + 1] + a[i + 1][j + 1];
}

static void product_in_place(int n, unsigned a[restrict n][n], unsigned b[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < n; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] *= 5;
        }
}

static void product_from_below(int n, unsigned a[restrict n][n], unsigned b[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n])
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < i; k++)
                b[i][j] += a[i][k] * b[k][j];
}

// One of the reads gets what the nest has written.
static void ahead_and_behind(int n, unsigned *restrict x)
{
    #pragma acc kernels copy(x[0:n])
    for (int i = 1; i < n - 1; i++)
        x[i] = x[i + 1] * 3 + x[i - 1];
}

// Pointers that may overlap: two versions.
static void may_overlap(int n, unsigned *x, unsigned *y)
{
    #pragma acc kernels
    for (int i = 0; i < n - 1; i++)
        x[i] = x[i + 1] + y[i] * 3;
}

static void symmetric(int n, unsigned a[restrict n][n], unsigned b[restrict n][n], unsigned c[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n], b[0:n][0:n]) copy(c[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unsigned sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += 3 * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = 7 * c[i][j] + 3 * b[i][j] * a[i][i] + 3 * sum;
        }
}

// The sum reads what the loop overwrites behind it.
static void sum_ahead(int n, unsigned a[restrict n][n], unsigned b[restrict n][n], unsigned *restrict x, unsigned *restrict y)
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        unsigned sum = i;
        for (int k = 0; k < n - 1; k++) {
            b[i][k] = a[i][k];
            x[k] += a[i][k];
            sum = sum * 5 + b[i][k + 1];
        }
        y[i] = sum;
    }
}

// The sum has what the loop then overwrites, by way of a conversion that the new element needs too.
static void sum_of_old(int n, unsigned char a[restrict n][n], unsigned char b[restrict n][n], unsigned char c[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n], c[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unsigned char sum = 0;
            for (int k = i + 1; k < n; k++) {
                sum += b[k][j];
                b[k][j] += a[k][i];
            }
            c[i][j] = sum;
        }
}

static unsigned a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], x[MOST], y[MOST];

static void reset(int n)
{
    fill(n * n, a, 1);
    fill(n * n, b, 2);
    fill(n * n, c, 3);
    fill(n, x, 4);
    fill(n, y, 5);
}

static void print(const char *name, int n)
{
    show(name, n, n * n, a);
    show(name, n, n * n, b);
    show(name, n, n * n, c);
    show(name, n, n, x);
    show(name, n, n, y);
}

int main(void)
{
    EACH_SIZE(n)
    {
        reset(n);
        shift(n, x, y);
        shift_down(n, y);
        steps(3, n, (void *)a);
        print("shift", n);
        reset(n);
        product_in_place(n, (void *)a, (void *)b);
        product_from_below(n, (void *)a, (void *)c);
        ahead_and_behind(n, x);
        print("product", n);
        reset(n);
        may_overlap(n, x, y);
        may_overlap(n / 2, a, a + n / 2);
        may_overlap(n / 2, c, c + 1);
        print("overlap", n);
        reset(n);
        symmetric(n, (void *)a, (void *)b, (void *)c);
        print("symmetric", n);
        sum_ahead(n, (void *)a, (void *)b, x, y);
        print("sum ahead", n);
        reset(n);
        sum_of_old(n, (void *)a, (void *)b, (void *)c);
        print("sum of old", n);
    }
    return 0;
}
