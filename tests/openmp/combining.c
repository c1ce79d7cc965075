/* Reductions on many elements and by tasks of the host, prefixes, and copies that teams share (OpenMP 5.2 5.5, 5.6;
   OpenMP 6.0 5.4); `masked` for other threads than the first (10.5). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 1009
#define BINS 100

static int a[MOST], bins[BINS], prefix[MOST], before[MOST];

static void twice(int *sum, int n)
{
    for (int i = 0; i < n; i++)
        *sum += 2;
}
#pragma omp declare target to(twice)

static long many(int n)
{
    double sums[BINS] = {0};
    int count = 70 + n % 7, *some = calloc(count, sizeof *some);
    for (int i = 0; i < BINS; i++)
        bins[i] = i;
    #pragma omp target teams distribute parallel for reduction(+: bins[0:BINS], sums) map(to: a)
    for (int i = 0; i < n; i++) {
        bins[a[i] % BINS] += 2;
        sums[i % BINS] = sums[i % BINS] + a[i];
        bins[i % 3]--;
    }
    #pragma omp target teams distribute parallel for reduction(|: some[0:count]) map(to: a) map(tofrom: some[0:count])
    for (int i = 0; i < n; i++)
        some[a[i] % count] |= 1 << i % 31;
    long all = 0;
    for (int i = 0; i < BINS; i++)
        all += (i + 1) * (bins[i] + 3 * (long)sums[i]);
    for (int i = 0; i < count; i++)
        all += (i + 1L) * some[i];
    free(some);
    return all;
}

static int with_tasks(int n)
{
    int sum = 5;
    #pragma omp parallel master
    #pragma omp taskgroup task_reduction(+: sum)
    {
        #pragma omp target in_reduction(+: sum)
        twice(&sum, n);
        #pragma omp task in_reduction(+: sum)
        sum += 3;
    }
    return sum;
}

static long prefixes(int n)
{
    int run = 1, most = 0;
    #pragma omp target map(from: prefix, before) map(to: a) map(tofrom: run, most)
    {
        #pragma omp parallel for reduction(inscan, +: run)
        for (int i = 0; i < n; i++) {
            run += a[i];
            #pragma omp scan inclusive(run)
            prefix[i] = run;
        }
        #pragma omp parallel for reduction(inscan, max: most)
        for (int i = 0; i < n; i++) {
            before[i] = most;
            #pragma omp scan exclusive(most)
            most = a[i] > most ? a[i] : most;
        }
    }
    /* The host's compiler has forgotten what is left behind the loop when there are no iterations. */
    long all = n > 0 ? run + most : 0;
    for (int i = 0; i < n; i++)
        all += (i + 1L) * prefix[i] + 7L * before[i];
    return all;
}

static int shared_copy(int n)
{
    int value = 4, last = 0;
#ifndef NATIVE
    #pragma omp target teams distribute firstprivate(target: value) num_teams(8) map(tofrom: last)
    for (int i = 0; i < n; i++) {
        int now;
        #pragma omp atomic capture
        now = ++value;
        if (now == n + 4)
            last = now;
    }
    int each[8] = {0};
    value = 5;
    #pragma omp target teams distribute firstprivate(teams: value) num_teams(8) map(tofrom: each)
    for (int i = 0; i < 8; i++) {
        value += omp_get_team_num();
        each[omp_get_team_num()] = value;
    }
    for (int i = 0; i < 8; i++)
        last += each[i];
    value -= 1;
#else
    last = (n ? n + 4 : 0) + 8 * 5 + 28;
#endif
    return last * 100 + value;
}

static void by_thread(void)
{
    int counts[8] = {0}, who = -1;
    #pragma omp target parallel num_threads(8) map(tofrom: counts, who)
    {
        #pragma omp masked filter(3)
        who = omp_get_thread_num();
        #pragma omp masked filter(omp_get_thread_num() % 2 ? omp_get_thread_num() : -1)
        counts[omp_get_thread_num()]++;
        #pragma omp masked filter(9)
        counts[0] = 100;
        #pragma omp masked
        counts[0] += 10;
    }
    printf("%d:", who);
    for (int i = 0; i < 8; i++)
        printf(" %d", counts[i]);
    printf("\n");
}

int main(void)
{
    int sizes[] = {0, 1, 2, 97, MOST};
    for (int i = 0; i < MOST; i++)
        a[i] = i * 37 % 501;
    for (int i = 0; i < 5; i++) {
        int n = sizes[i];
        printf("%d: %ld %d %ld %d\n", n, many(n), with_tasks(n), prefixes(n), shared_copy(n));
    }
    by_thread();
    return 0;
}
