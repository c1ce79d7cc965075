/* omp_get_wtime and omp_get_wtick (OpenMP 5.2 18.10) in device code: times go on, within a thread and from kernel to kernel. */
#include <omp.h>
#include <stdio.h>

static double a[300], b[300];

static double part(double *x, int n)
{
    double start = omp_get_wtime();
    for (int i = 0; i < n; i++)
        x[i] += i * 0.5;
    return omp_get_wtime() - start;
}

static void all(int n)
{
    double before = 0, behind = 0, tick = 0, inner = 0, threads[300] = {0};
    int back = 0;
    #pragma omp target map(tofrom: a) map(from: before, behind, tick, inner)
    {
        before = omp_get_wtime();
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = i;
        inner = part(a, n);
        tick = omp_get_wtick();
        behind = omp_get_wtime();
    }
    #pragma omp target teams distribute parallel for map(tofrom: threads, back, b) map(to: a)
    for (int i = 0; i < n; i++) {
        double start = omp_get_wtime();
        double sum = 0;
        for (int j = 0; j < i; j++)
            sum += a[j];
        b[i] = sum;
        threads[i] = omp_get_wtime() - start;
        if (threads[i] < 0) {
            #pragma omp atomic
            back++;
        }
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] + b[i];
    printf("%d: %d %d %d %d %d %g\n", n, before > 0, behind >= before, inner >= 0 && inner < 60, tick > 0 && tick < 1, back, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 37, 300};
    for (int i = 0; i < 4; i++)
        all(sizes[i]);
    return 0;
}
