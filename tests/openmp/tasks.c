/* Tasks in device code: the thread that comes upon one executes it; what it has for itself, what it shares, and
   what groups combine (OpenMP 5.2 12.5, 12.6, 15.4, 15.5, 5.1.1, 5.5.9, 5.5.10). */
#include <stdio.h>

#define MOST 517

static int a[MOST], b[MOST];

static void tasks(int n)
{
    int c = 0, d = 0, kept = 5, sum = 0, wide = 0, group = 0;
    #pragma omp target map(tofrom: c, d)
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: c)
        c = n;
        #pragma omp task depend(out: d)
        d = 2;
        #pragma omp task depend(in: d) depend(mutexinoutset: c)
        c += d;
        #pragma omp taskwait
        d += c;
    }
    #pragma omp target map(tofrom: kept, a)
    {
        int own = 3;
        #pragma omp task
        { own += 1; a[0] = own; }
        #pragma omp task default(firstprivate) shared(a)
        { kept = 9; own = 20; a[1] = kept + own; }
        #pragma omp task shared(own)
        own++;
        kept += own;
    }
    #pragma omp target parallel map(tofrom: b, wide)
    {
        #pragma omp single
        #pragma omp taskloop grainsize(3)
        for (int i = 0; i < n; i++)
            b[i] = 3 * i;
        #pragma omp master taskloop simd reduction(+: wide)
        for (int i = 0; i < n; i++)
            wide += b[i];
    }
    #pragma omp target map(tofrom: sum) map(to: b)
    #pragma omp parallel for reduction(task, +: sum)
    for (int i = 0; i < n; i++) {
        #pragma omp task in_reduction(+: sum)
        sum += b[i];
    }
    #pragma omp target parallel map(tofrom: group) map(to: b)
    #pragma omp master
    {
        #pragma omp taskgroup task_reduction(+: group)
        {
            #pragma omp taskloop in_reduction(+: group)
            for (int i = 0; i < n; i++)
                group += b[i];
            #pragma omp task in_reduction(+: group)
            group += 1000;
        }
        #pragma omp taskyield
    }
    printf("%d: %d %d %d %d %d %d %d %d\n", n, c, d, kept, a[0], a[1], sum, wide, group);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, MOST};
    for (int i = 0; i < 5; i++)
        tasks(sizes[i]);
    return 0;
}
