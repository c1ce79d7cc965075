// Loops whose bounds are of wider types than their variables, and rows written out in 64 bits, are as parallel as those of `int`.
// RUN: gpuc -w -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
#include <stddef.h>

void wider(long n, unsigned long m, float *restrict a)
{
    #pragma acc kernels copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc kernels copy(a[0:m])
    for (unsigned i = 0; i < m; i++)
        a[i] = 1;
}
// CHECK-LABEL: wider:
// CHECK: 8, Loop is parallelizable
// CHECK: 11, Loop is parallelizable

void rows(size_t n, size_t m, float *restrict a)
{
    #pragma acc kernels copy(a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] = 1;
}
// CHECK-LABEL: rows:
// CHECK-NOT: prevents
// CHECK: collapse(2)
