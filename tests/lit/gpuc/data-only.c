// A file with data directives alone, the compute regions in another: no kernels, no complaint.
// RUN: gpuc -c -DDATA %s -o %t.data.o
// RUN: gpuc %t.data.o %s -o %t.both
// RUN: env GPUC_DEVICE=sim %t.both | FileCheck %s
// CHECK: 1 2 3 4
// RUN: gpuc -DDATA --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: warning[GPUC0018]: this file has no kernels
// PTX-NEXT: data-only.c:[[@LINE+11]]:5
// PTX: this moves data, and computes nothing
// PTX: .version
// PTX-NEXT: .target sm_75
// PTX-NOT: .entry
#ifdef DATA
void work(int n, float *x);
int printf(const char *, ...);
int main(void)
{
    float x[4] = {1, 1, 1, 1};
    #pragma acc enter data copyin(x)
    work(4, x);
    #pragma acc update self(x)
    #pragma acc exit data delete(x)
    printf("%g %g %g %g\n", x[0], x[1], x[2], x[3]);
    return 0;
}
#else
void work(int n, float *x)
{
    #pragma acc parallel loop present(x)
    for (int i = 0; i < n; i++)
        x[i] += i;
}
#endif
