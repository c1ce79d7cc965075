// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
#include <omp.h>

int chosen(void);
#pragma omp declare target enter(chosen) indirect

int transforms(int n, int *a)
{
    int run = 0, at = 0;
    #pragma omp target parallel for reduction(inscan, +: run) map(from: a[0:n])
    for (int i = 0; i < n; i++) {
        run = i;
        #pragma omp scan inclusive(run)
        a[i] = run;
    }
    #pragma omp target parallel for reduction(inscan, +: run) map(from: a[0:n])
    for (int i = 0; i < n; i++)
        run += a[i];
    #pragma omp target map(from: a[0:n])
    {
        #pragma omp tile sizes(4)
        for (int i = 0; i < n; i++)
            a[i] = i;
        #pragma omp unroll partial(2)
        a[0] = 1;
        #pragma omp error at(compilation) severity(warning) message("look here")
        #pragma omp error message("not there")
        #pragma omp interop init(target: at)
        #pragma omp atomic compare capture
        if (a[0] == 1) a[0] = 2; else at = a[1];
    }
    #pragma omp target map(from: a[0:n])
    #pragma omp parallel masked taskloop filter(2)
    for (int i = 0; i < n; i++)
        a[i] = i;
    return run;
}
