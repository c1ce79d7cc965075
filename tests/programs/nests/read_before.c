// What is read in front of a parallel loop that changes it is what stood there before.
#include "nest.h"

static void scaled(int n, unsigned *restrict x)
{
    #pragma acc kernels copy(x[0:n])
    {
        unsigned p = x[n / 2], q = x[n - 1];
        for (int j = 0; j < n; j++)
            x[j] = x[j] * p - q;
    }
}

static void pivots(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int k = 0; k < n; k++) {
        unsigned p = a[k][k];
        for (int j = 0; j < n; j++)
            a[k][j] *= p;
        for (int i = 0; i < n; i++)
            if (i != k)
                for (int j = 0; j < n; j++)
                    a[i][j] -= a[k][j] * 2;
    }
}

static void elimination(int n, int row, unsigned *restrict m)
{
    #pragma acc kernels
    for (int k = 1; k < n; k += 2) {
        for (int i = 0; i < n; i++)
            m[i * row] += 1;
        for (int i = 0; i < n; i++)
            if (i != k) {
                unsigned f = m[i * row + k];
                for (int j = k; j < n; j++)
                    m[i * row + j] += f;
            }
    }
}

// Each gang reads what none of them changes before all have read it.
static void gangs(int n, unsigned *restrict x)
{
    #pragma acc parallel copy(x[0:n])
    {
        unsigned p = x[n / 3];
        #pragma acc loop gang vector
        for (int j = 0; j < n; j++)
            x[j] = x[j] * p + 1;
    }
}

// Another pointer to the same.
static void other(int n, unsigned *x, const unsigned *y)
{
    #pragma acc kernels copy(x[0:n]) copyin(y[0:n])
    {
        unsigned p = y[n / 2];
        for (int j = 0; j < n; j++)
            x[j] *= p;
    }
}

static unsigned a[400 * 400];

int main(void)
{
    for (int at = 0; at < 5; at++) {
        int n = (int[]){1, 2, 37, 257, 400}[at];
        fill(n * n, a, 1);
        scaled(n * n, a);
        show("scaled", n, n * n, a);
        fill(n, a, 2);
        gangs(n, a);
        show("gangs", n, n, a);
        fill(n, a, 5);
        other(n, a, a);
        show("other", n, n, a);
        if (n <= 37) {
            fill(n * n, a, 3);
            pivots(n, (void *)a);
            show("pivots", n, n * n, a);
            fill(n * n, a, 4);
            elimination(n, n, a);
            show("elimination", n, n * n, a);
        }
    }
    return 0;
}
