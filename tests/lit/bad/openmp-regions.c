// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
#include <omp.h>

int chunks(int n, int *a)
{
    int last = 0;
    #pragma omp target teams distribute parallel for schedule(static, 4) map(from: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = omp_get_thread_num();
    #pragma omp target parallel map(from: a[0:n])
    {
        int mine = omp_get_thread_num();
        a[mine] = 0;
        #pragma omp barrier
        a[mine + 1] = mine;
    }
    #pragma omp target map(from: a[0:n])
    {
        a[0] = 1;
        #pragma omp teams distribute
        for (int i = 1; i < n; i++)
            a[i] = i;
    }
    #pragma omp target map(tofrom: a[0:n])
    {
        int found = 0;
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            if (a[i])
                found = i;
        a[0] = found;
    }
    #pragma omp target teams map(tofrom: last)
    {
        #pragma omp parallel
        {
            for (int i = 0; i < 2; i++) {
                #pragma omp barrier
                last += i;
            }
        }
    }
    return last;
}
