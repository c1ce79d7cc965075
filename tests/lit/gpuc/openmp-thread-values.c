// RUN: gpuc -fopenmp -Minfo=all -c %s -o /dev/null 2>&1 | FileCheck %s
// What follows from the number of a thread is computed behind barriers again: subscripts stay ones of the thread's, of which no
// two are the same, and nobody needs updates one after another.
#include <omp.h>

void all(int n, float *a)
{
    // CHECK: Loop divided among threads(64)
    // CHECK-NOT: atomic
    // CHECK-NOT: has one thread
    #pragma omp target teams distribute map(tofrom: a[0:64 * n])
    for (int block = 0; block < n; block++) {
        float tile[64];
        #pragma omp parallel num_threads(64)
        {
            int t = omp_get_thread_num(), at = block * 64 + t;
            float own = a[at] * 2;
            tile[t] = own;
            #pragma omp barrier
            a[at] += tile[63 - t] + own;
        }
    }
}
