// Parallel loops in a parallel loop whose bounds depend on it are a block's for each of its iterations, long as they are.
// RUN: gpuc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK-LABEL: triangle:
void triangle(int n, double (*restrict a)[n], const double *restrict x)
{
    #pragma acc kernels copy(a[0:n][0:n]) copyin(x[0:n])
    // CHECK-NOT: Rows shared
    // CHECK: [[# @LINE + 2 ]], Loop is parallelizable
    // CHECK: #pragma acc loop gang /* blockIdx.x */
    for (int i = 0; i < n; i++)
        // CHECK: [[# @LINE + 2 ]], Loop is parallelizable
        // CHECK: #pragma acc loop vector(128) /* threadIdx.x */
        for (int j = i; j < n; j++)
            a[i][j] *= x[j];
}
