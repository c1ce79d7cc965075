// The routines that the library and the host's OpenMP library both have are the library's, however they are linked.
// RUN: gpuc -fopenmp -c %s -o %t.o
// RUN: gpuc -fopenmp %t.o -o %t.static
// RUN: env GPUC_DEVICE=sim %t.static | FileCheck %s
// RUN: gpuc -fopenmp -shared-gpuc %t.o -o %t.shared
// RUN: env GPUC_DEVICE=sim %t.shared | FileCheck %s
// RUN: gpuc %t.o -lgomp -o %t.before
// RUN: env GPUC_DEVICE=sim %t.before | FileCheck %s
// RUN: gpuc -shared-gpuc %t.o -lgomp -o %t.between
// RUN: env GPUC_DEVICE=sim %t.between | FileCheck %s
// RUN: env GPUC_DEVICE=host %t.static | FileCheck %s --check-prefix=HOST
// CHECK: 1 devices, 45 by 2 threads
// HOST: 0 devices, 45 by 2 threads
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int a[10], sums[2] = {0}, device = omp_get_default_device(), host = omp_get_initial_device();
    int *d = omp_target_alloc(sizeof a, device);
    #pragma omp target is_device_ptr(d)
    for (int i = 0; i < 10; i++)
        d[i] = i;
    omp_target_memcpy(a, d, sizeof a, 0, 0, host, device);
    omp_target_free(d, device);
    // Threads of the host launch at once.
    #pragma omp parallel for num_threads(2)
    for (int t = 0; t < 2; t++) {
        int sum = 0;
        #pragma omp target teams distribute parallel for map(to: a) reduction(+: sum)
        for (int i = t; i < 10; i += 2)
            sum += a[i];
        sums[omp_get_thread_num()] += sum;
    }
    printf("%d devices, %d by %d threads\n", omp_get_num_devices(), sums[0] + sums[1], 1 + (sums[1] > 0));
    return 0;
}
