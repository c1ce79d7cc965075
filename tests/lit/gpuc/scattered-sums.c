// Sums by an index array: integers become atomic, numbers with fractions only where the program says so.
// RUN: gpuc -c -Minfo %s -o %t 2>&1 | FileCheck %s
// CHECK: Generating implicit atomic update(h)
// CHECK-NEXT: Loop is parallelizable
// CHECK: Complex loop carried dependence of s prevents parallelization
// CHECK: in another order, sums in s would be rounded otherwise: put `#pragma acc atomic update` in front of the update if any order will do
// RUN: gpuc -c -Minfo -DATOMIC %s -o %t 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC-NOT: prevents
#ifdef ATOMIC
#define STEP _Pragma("acc atomic update")
#else
#define STEP
#endif

void sums(int n, const int *restrict at, const float *restrict w, float *restrict s, int *restrict h)
{
    #pragma acc kernels copyin(at[0:n]) copy(h[0:64])
    for (int i = 0; i < n; i++)
        h[at[i]] += 2;
    #pragma acc kernels copyin(at[0:n], w[0:n]) copy(s[0:64])
    for (int i = 0; i < n; i++) {
        STEP
        s[at[i]] += w[i];
    }
}
