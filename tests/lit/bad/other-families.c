// Directives for devices in families that gpuc does not offload stay with the host compiler, which
// is said; OpenMP for the host is no concern of ours.
// RUN: gpuc -c %s -o %t.o 2>&1 | golden
// RUN: gpuc -w -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: warning

void f(int n, float *a)
{
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = 0;
    #pragma hmppcg gridify(i)
    for (int i = 0; i < n; i++) a[i] = 0;
}
