// Sizes of launches that only the run time knows, levels one by one under `kernels`, and results of a
// loop over gangs that the next loop of the region needs.
#include <stdio.h>

static long sum(int n, const int *a)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += (long)a[i] * (i % 7 + 1);
    return s;
}

static void lanes(int v, int w, int n, int *a)
{
    #pragma acc parallel loop gang vector_length(v) copy(a[0:8*n])
    for (int i = 0; i < n; i++)
        if (i % 2 != 0) {
            #pragma acc loop vector
            for (int k = 0; k < 8; k++)
                a[i * 8 + k] += 3;
        }
    #pragma acc parallel loop gang num_workers(w) copy(a[0:8*n])
    for (int i = 0; i < n; i++)
        if (i % 3 != 0) {
            #pragma acc loop worker vector
            for (int k = 0; k < 8; k++)
                a[i * 8 + k] += k;
        }
}

static long rows(int v, int n, int *y)
{
    long total = 0;
    #pragma acc parallel loop gang vector_length(v) copy(y[0:n]) reduction(+:total)
    for (int i = 0; i < n; i++) {
        int s = 1000;
        for (int j = 0; j < (i < 9 ? i : 9); j++)
            s = j * 37 % 11 < s ? j * 37 % 11 : s;
        y[i] += s;
        total += s & 1023;
    }
    return total;
}

static void levels(int n, int m, int *a)
{
    #pragma acc kernels loop gang copy(a[0:n*m*5])
    for (int i = 0; i < n; i++)
        #pragma acc loop worker
        for (int j = 0; j < m; j++)
            #pragma acc loop vector
            for (int k = 0; k < 5; k++)
                a[(i * m + j) * 5 + k] += 3;
}

static void greatest(int n, const int *x, int *o)
{
    #pragma acc kernels copyin(x[0:n]) copy(o[0:n])
    {
        int most = -1;
        for (int i = 0; i < n; i++)
            most = x[i] > most ? x[i] : most;
        for (int i = 0; i < n; i++)
            if (x[i] == most)
                o[i] = 77;
    }
}

int main(void)
{
    static int a[4000], x[500];
    for (int i = 0; i < 500; i++)
        x[i] = i * 61 % 499;
    for (int v = 1; v <= 160; v += 53) {
        lanes(v, 1 + v % 3, 41, a);
        printf("lanes %d: %ld\n", v, sum(4000, a));
        long total = rows(v, 300, a);
        printf("rows %d: %ld %ld\n", v, total, sum(4000, a));
    }
    levels(7, 11, a);
    printf("levels: %ld\n", sum(4000, a));
    for (int n = 0; n <= 500; n += 125) {
        greatest(n, x, a);
        printf("greatest %d: %ld\n", n, sum(4000, a));
    }
    return 0;
}
