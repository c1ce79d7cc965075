// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
#include <omp.h>

#pragma omp requires unified_shared_memory

int variant(void);
#pragma omp declare variant(variant) match(device={kind(nohost)})
int base(void);

void unsupported(int n, int *a)
{
    #pragma omp target teams distribute parallel for linear(n)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target map(tofrom: a[0:n]) map(mapper(m): a[0:n])
    a[0] = 1;
    #pragma omp target teams distribute parallel for map(release: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target enter data map(from: a[0:n])
    #pragma omp target
    {
        #pragma omp task
        a[0] = 2;
    }
    #pragma omp target
    {
        #pragma omp interchange
        a[0] = 2;
    }
    #pragma omp target parallell for
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target teams distribute parallel for nuM_threads(4)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target teams distribute schedule(static)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target if(n) if(n > 1)
    a[0] = 1;
    #pragma omp target parallel for
    while (n-- > 0)
        a[n] = 1;
    #pragma omp target data map(present, to: a[0:n]) use_device_ptr(a) map(always, close, tofrom n)
    a[0] = 1;
}

#pragma omp end declare target
