// Loops of `parallel` that are the compiler's to divide: what gangs share stands in loops whose steps wait for each other.
#include "nest.h"

static void sweeps(int steps, int n, unsigned *restrict a, unsigned *restrict b)
{
    #pragma acc parallel loop auto copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        #pragma acc loop auto
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + 3 * a[i] + a[i + 1];
        #pragma acc loop auto
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

static void counted(int steps, int n, unsigned *restrict a, unsigned *restrict b)
{
    #pragma acc parallel num_gangs(7) vector_length(64) copy(a[0:n], b[0:n])
    {
        unsigned first = a[n - 1];
        #pragma acc loop seq
        for (int t = 0; t < steps; t++) {
            #pragma acc loop auto
            for (int i = 1; i < n - 1; i++)
                b[i] = a[i - 1] + first * a[i] + a[i + 1];
            #pragma acc loop auto
            for (int i = 1; i < n - 1; i++)
                a[i] = b[i] ^ t;
        }
    }
}

static void in_place(int steps, int n, unsigned a[n][n])
{
    #pragma acc parallel loop auto copy(a[0:n][0:n])
    for (int t = 0; t < steps; t++)
        #pragma acc loop auto
        for (int i = 1; i < n - 1; i++)
            #pragma acc loop auto
            for (int j = 1; j < n - 1; j++)
                a[i][j] = a[i - 1][j] + 3 * a[i][j - 1] + a[i][j] + a[i + 1][j] + 5 * a[i][j + 1];
}

static unsigned sums(int n, unsigned a[n][n], unsigned *restrict y)
{
    unsigned total = 0;
    #pragma acc parallel loop auto copyin(a[0:n][0:n]) copy(y[0:n]) reduction(+:total)
    for (int i = 1; i < n; i++) {
        unsigned sum = 0;
        #pragma acc loop auto reduction(+:sum)
        for (int j = 0; j < n; j++)
            sum += a[i][j];
        y[i] = y[i - 1] * 3 + sum;
        total += sum;
    }
    return total;
}

static unsigned a[600 * 600], b[600];

int main(void)
{
    for (int at = 0; at < 6; at++) {
        int n = (int[]){1, 2, 3, 37, 257, 600}[at];
        fill(n, a, 1);
        fill(n, b, 2);
        sweeps(7, n, a, b);
        show("sweeps", n, n, a);
        counted(5, n, a, b);
        show("counted", n, n, a);
        if (n > 40)
            continue;
        fill(n * n, a, 3);
        in_place(4, n, (void *)a);
        show("in place", n, n * n, a);
        b[0] += sums(n, (void *)a, b);
        show("sums", n, n, b);
    }
    return 0;
}
