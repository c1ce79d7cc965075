// With -fopenmp, OpenMP stays the host compiler's, also in files with regions of OpenACC.
// RUN: gpuc -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=3 GPUC_DEVICE=sim %t 2>&1 | FileCheck %s
// RUN: gpuc -fopenmp -DWITHOUT %s -o %t.without
// RUN: env OMP_NUM_THREADS=3 %t.without | FileCheck %s --check-prefix=WITHOUT
// RUN: gpuc %s -o %t.serial
// RUN: env GPUC_DEVICE=sim %t.serial 2>&1 | FileCheck %s --check-prefix=SERIAL
// CHECK: gpuc: device 0: sim
// CHECK: openmp 1, openacc 202211: 9000 by 3 threads
// WITHOUT: openmp 1, openacc 202211: 4500 by 3 threads
// SERIAL: openmp 0, openacc 202211: 9000 by 0 threads
#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#define HAS 1
#else
#define HAS 0
static int omp_get_num_threads(void) { return 0; }
#endif
int main(void)
{
    double a[1000], sum = 0;
    int threads = 0, sections = 0;
    #pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        a[i] = i % 10;
#ifndef WITHOUT
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 1000; i++)
        a[i] *= 2;
#endif
    #pragma omp parallel for reduction(+:sum) schedule(static)
    for (int i = 0; i < 999; i++) {
        sum += a[i];
        #pragma omp atomic
        sections += 1;
    }
    #pragma omp parallel
    {
        #pragma omp single
        threads = omp_get_num_threads();
        #pragma omp barrier
        #pragma omp critical
        sections -= 1;
    }
    sum += sections == 999 - (threads ? threads : 1) ? a[999] : 0;
    return printf("openmp %d, openacc %d: %g by %d threads\n", HAS, _OPENACC, sum, threads) < 0;
}
