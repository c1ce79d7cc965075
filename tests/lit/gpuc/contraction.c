// When products and sums fuse: by default as in GCC, which does not in the modes of ISO C.
// RUN: gpuc --emit=ptx %s | FileCheck %s --check-prefix=FUSED
// RUN: gpuc --emit=ptx -std=gnu11 %s | FileCheck %s --check-prefix=FUSED
// RUN: gpuc --emit=ptx -ffp-contract=fast -std=c11 %s | FileCheck %s --check-prefix=FUSED
// FUSED: fma.rn.f32
// RUN: gpuc --emit=ptx -std=c11 %s | FileCheck %s --check-prefix=APART
// RUN: gpuc --emit=ptx -ffp-contract=on %s | FileCheck %s --check-prefix=APART
// RUN: gpuc --emit=ptx -ffp-contract=off %s | FileCheck %s --check-prefix=APART
// APART-NOT: fma
// APART: mul.rn.f32
// APART-NOT: fma
// APART: add.rn.f32
// RUN: gpuc -Minfo -c -ffp-contract=on %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: -ffp-contract=on: no multiplication and addition are fused, as with off
void f(float *a)
{
    #pragma acc parallel loop copy(a[0:100])
    for (int i = 0; i < 100; i++) {
        float product = a[i] * 3.0f;
        a[i] = product + a[i];
    }
}
