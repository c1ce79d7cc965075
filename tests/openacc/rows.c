/* Sections of pointers with sections of what they point to: arrays of rows that lie anywhere
   (OpenACC 3.3 2.7.1). Each row is moved by itself. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#endif

static double **rows(int n, int m, double first)
{
    double **a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++) {
        a[i] = malloc((m + 1) * sizeof **a);
        for (int j = 0; j < m; j++)
            a[i][j] = first + i * m + j;
    }
    return a;
}

static void drop(double **a, int n)
{
    for (int i = 0; i < n; i++)
        free(a[i]);
    free(a);
}

static void add(const double *in, double *out, int m)
{
    #pragma acc parallel loop present(in[0:m], out[0:m])
    for (int j = 0; j < m; j++)
        out[j] += in[j];
}

static void twice(double **a, int n, int m)
{
    #pragma acc declare copy(a[0:n][0:m])
    for (int i = 0; i < n; i++) {
        double *row = a[i];
        #pragma acc parallel loop present(row[0:m])
        for (int j = 0; j < m; j++)
            row[j] *= 2;
    }
}

static double sum(double **a, int n, int m)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            total += a[i][j];
    return total;
}

static void run(int n, int m)
{
    double **a = rows(n, m, 0), **b = rows(n, m, 0.5);
    #pragma acc data copyin(a[0:n][0:m]) copy(b[0:n][0:m])
    {
        for (int i = 0; i < n; i++)
            add(a[i], b[i], m);
        #pragma acc update self(b[0:n][0:m])
        printf("%g ", sum(b, n, m));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = 1;
        for (int i = 0; i < n; i++) {
            #pragma acc update device(a[i:1][0:m]) async(i)
        }
        #pragma acc wait
        for (int i = 0; i < n; i++)
            add(a[i], b[i], m);
    }
    printf("%g ", sum(b, n, m));
    twice(b, n, m);
    #pragma acc enter data copyin(b[0:n][0:m])
    for (int i = 0; i < n; i++)
        add(b[i], b[i], m);
    #pragma acc exit data copyout(b[0:n][0:m])
    printf("%g ", sum(b, n, m));
#ifdef _OPENACC
    printf("%d\n", n > 0 && m > 0 && (acc_is_present(b, sizeof *b) || acc_is_present(b[0], sizeof **b)));
#else
    printf("0\n");
#endif
    drop(a, n);
    drop(b, n);
}

int main(void)
{
    run(0, 0);
    run(1, 1);
    run(5, 0);
    run(7, 33);
    double first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8}, *fixed[2] = {first, second};
    #pragma acc data copy(fixed[0:2][1:2])
    {
        for (int i = 0; i < 2; i++) {
            double *row = fixed[i];
            #pragma acc parallel loop present(row[1:2])
            for (int j = 1; j < 3; j++)
                row[j] += 10;
        }
    }
    printf("%g %g %g %g\n", first[0], first[1], second[2], second[3]);
    return 0;
}
