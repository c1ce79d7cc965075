// What a `share` pragma says wrong is an error at its place, all of it at once.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: `share` cannot stand outside of a function
// CHECK-NEXT: --> tests/lit/bad/share-pragma.c:[[@LINE+1]]:1
#pragma acc share(A[*])

void f(int n, const float *restrict A, float *restrict B)
{
    // CHECK: error: expected `TB_X`, `TB_Y`, `TB_Z` or an integer
    // CHECK-NEXT: --> tests/lit/bad/share-pragma.c:[[@LINE+1]]:25
    #pragma acc share(A[TB_W])
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: expected `coalesce`
    // CHECK-NEXT: --> tests/lit/bad/share-pragma.c:[[@LINE+1]]:31
    #pragma acc share(A[TB_X]:coalesced)
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: expected `TB_X`, `TB_Y`, `TB_Z` or an integer
    #pragma acc share(A[n])
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: expected the name of an array
    #pragma acc share(A[4],)
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: `share` takes a list of arrays: `share(A[TB_Y][*])`
    #pragma acc share
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: `share` stands in front of a compute construct or a `loop` directive with a nest of counted loops
    #pragma acc share(A[*])
    for (int i = 0; i < n; i++)
        B[i] = A[i];
    // CHECK: error: `share` stands in front of a compute construct or a `loop` directive with a nest of counted loops
    // CHECK: help: of a construct with several nests, each has its own, in front of its `#pragma acc loop`
    #pragma acc share(A[*])
    #pragma acc kernels copyin(A[0:n]) copyout(B[0:n])
    {
        for (int i = 0; i < n; i++)
            B[i] = A[i];
        for (int i = 0; i < n; i++)
            B[i] += A[n - 1 - i];
    }
    // CHECK: error[GPUC0001]: `shar` is not a directive of OpenACC
    // CHECK: help: did you mean `share`?
    #pragma acc shar(A[*])
    // CHECK: error: no statement follows this `share`
    #pragma acc share(A[*])
}
