/* Atomic statements of OpenMP 5.2 15.8.4 in loops over teams and threads. */
#include <stdio.h>

#define N 700

int main(void)
{
    int count = 0, taken[N] = {0}, bins[8] = {0}, last = 0, stable = 5, read = 0;
    double sum = 0;
    #pragma omp target teams distribute parallel for map(tofrom: count, bins, sum, last) map(from: taken)
    for (int i = 0; i < N; i++) {
        int ticket;
        #pragma omp atomic capture
        ticket = count++;
        taken[ticket] = 1;
        #pragma omp atomic
        bins[i % 8] += i;
        #pragma omp atomic update hint(0)
        sum = sum + 0.5;
        #pragma omp atomic write relaxed
        last = 1;
    }
    int all = 1;
    for (int i = 0; i < N; i++)
        all &= taken[i];
    printf("%d %d %d %d %g %d\n", count, all, bins[0], bins[7], sum, last);

    int copies[N];
    #pragma omp target parallel for map(to: stable) map(from: copies) private(read)
    for (int i = 0; i < N; i++) {
        #pragma omp atomic read seq_cst
        read = stable;
        copies[i] = read + i;
    }
    printf("%d %d\n", copies[0], copies[N - 1]);
    return 0;
}
