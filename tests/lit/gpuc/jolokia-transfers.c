// RUN: gpuc run --device=sim --report -fjolokia %s 2>&1 | FileCheck %s
// RUN: gpuc -D_for=for -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
/* Patel 2014, listing 3.8: the array that is summed comes back behind each task, and nothing goes there again. */
#include <stdio.h>
#include <stdlib.h>

static void add(int n, double *A, const double *B, const double *C)
{
    _for (int i = 0; i < n; i++)
        A[i] = B[i] + C[i];
}

static void scale(int n, double *A, double S)
{
    _for (int i = 0; i < n; i++)
        A[i] = S * A[i];
}

int main(void)
{
    int n = 10000;
    double *A = calloc(n, 8), *B = malloc(n * 8), *C = malloc(n * 8), all = 0;
    for (int i = 0; i < n; i++)
        B[i] = i, C[i] = n - i;
    #pragma jolokia gpuIn(A, B, C) gpuOut(A) tile(128, 1, 1)
    add(n, A, B, C);
    for (int i = 0; i < n; i++)
        all += A[i];
    #pragma jolokia gpuIn(A) gpuOut(A) tile(64, 1, 1)
    scale(n, A, 1.5);
    for (int i = 0; i < n; i++)
        all += A[i];
    printf("%g\n", all);
    return 0;
}

// CHECK-DAG: kernel main_L25_kernel {{.*}} block [128]
// CHECK-DAG: kernel main_L29_kernel {{.*}} block [64]
// CHECK-DAG: A to device: 80,000 bytes in 1 transfer,
// CHECK-DAG: B to device: 80,000 bytes in 1 transfer,
// CHECK-DAG: C to device: 80,000 bytes in 1 transfer,
// CHECK-DAG: A to host: 160,000 bytes in 2 transfers
// CHECK: 2.5e+08
// OFF: warning[GPUC0017]: directives of JolokiaC++ are not offloaded without -fjolokia
// OFF-NOT: warning
