// Searches that keep only where the best value is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int greatest(int n, const double *x)
{
    int m = 0;
    #pragma acc kernels copyin(x[0:n])
    for (int i = 1; i < n; i++)
        if (x[i] > x[m])
            m = i;
    return m;
}

static int least_last(int n, int start, const int *x)
{
    int m = start;
    #pragma acc kernels copyin(x[0:1000])
    for (int i = 0; i < n; i++)
        m = x[i] <= x[m] ? i : m;
    return m;
}

// The pivot of a column.
static int pivot(int n, int k, const float *restrict a)
{
    int p = k;
    #pragma acc kernels copyin(a[0:n*n])
    for (int i = k + 1; i < n; i++)
        if (a[i * n + k] > a[p * n + k])
            p = i;
    return p;
}

static int pivot_by_magnitude(int n, int k, const double *restrict a)
{
    int p = k;
    #pragma acc kernels copyin(a[0:n*n])
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
            p = i;
    return p;
}

static long farthest(long n, const float *restrict x)
{
    long m = 0;
    #pragma acc kernels copyin(x[0:n])
    for (long i = 0; i < n; i++)
        if (x[i] < x[m])
            m = i;
    return m;
}

// What it reads may change: as it stands.
static int sorting(int n, double *x)
{
    int m = 0;
    #pragma acc kernels copy(x[0:n])
    for (int i = 1; i < n; i++)
        if (x[i] > x[m]) {
            m = i;
            x[i] = x[i] - 1;
        }
    return m;
}

// Not the same element.
static int other(int n, const double *restrict x)
{
    int m = 0;
    #pragma acc kernels copyin(x[0:n+1])
    for (int i = 1; i < n; i++)
        if (x[i] > x[m + 1])
            m = i;
    return m;
}

// Places that a loop has come to, behind it.
static double behind(int n, const int *restrict k, const double *restrict x)
{
    double found;
    #pragma acc serial copyin(k[0:n], x[0:2*n+2]) copyout(found)
    {
        int m = 0;
        for (int i = 0; i < n; i++)
            m += k[i] % 3;
        found = x[m] + 2 * x[m + 1] + 3 * x[m / 2];
    }
    return found;
}

int main(void)
{
    enum { N = 1000 };
    double *x = malloc(sizeof(double) * N);
    float *a = malloc(sizeof(float) * N);
    int *k = malloc(sizeof(int) * N);
    for (int i = 0; i < N; i++) {
        x[i] = i * 37 % 101;
        a[i] = i * 31 % 97;
        k[i] = i * 29 % 53 + 3;
    }
    printf("%d %d %d %d\n", greatest(N, x), greatest(1, x), greatest(0, x), greatest(2, x));
    printf("%d %d %d\n", least_last(N, 5, k), least_last(0, 7, k), least_last(1, 900, k));
    printf("%d %d %d\n", pivot(30, 0, a), pivot(30, 29, a), pivot(30, 17, a));
    printf("%ld %ld\n", farthest(N, a), farthest(0, a));
    printf("%g %g %g\n", behind(N / 2 - 1, k, x), behind(1, k, x), behind(0, k, x));
    for (int i = 0; i < N; i++)
        x[i] -= 60;
    printf("%d %d\n", pivot_by_magnitude(30, 3, x), pivot_by_magnitude(30, 28, x));
    x[0] = x[1] = 0.0 / 0.0;
    printf("%d\n", greatest(N, x));
    printf("%d %d\n", other(N / 2, x + 3), sorting(N - 3, x + 3));
    free(x);
    free(a);
    free(k);
    return 0;
}
