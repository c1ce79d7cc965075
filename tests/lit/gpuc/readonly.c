// What only pointers could make overlap is loaded as read-only data where `readonly:` says that nothing writes to it (Tian et al. 2015,
// section 6, the clause `const`); without, the host tests, and loads are plain ones where they do overlap.
// RUN: gpuc --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc -DREADONLY= --emit=ptx %s -o - | FileCheck %s --check-prefix=PLAIN
// RUN: gpuc run --device=sim %s | FileCheck %s --check-prefix=RAN
#include <stdio.h>
#ifndef READONLY
#define READONLY readonly:
#endif

// CHECK: ld.global.nc.f32
// CHECK-NOT: ld.global.f32
// PLAIN: ld.global.nc.f32
// PLAIN: ld.global.f32
static void twice(int n, const float *a, float *b)
{
    #pragma acc kernels copyin(READONLY a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
}

int main(void)
{
    float a[100], b[100];
    for (int i = 0; i < 100; i++)
        a[i] = i;
    twice(100, a, b);
    // RAN: 198
    printf("%g\n", b[99]);
    return 0;
}
