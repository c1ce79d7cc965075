// The clause `const` (Tian et al. 2015, section 6) promises what `readonly:` does, beside another data clause or alone.
// RUN: gpuc --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc -DPROMISE= --emit=ptx %s -o - | FileCheck %s --check-prefix=PLAIN
// RUN: gpuc -DPROMISE= -DBESIDE='const(a)' --emit=ptx %s -o - | FileCheck %s
// RUN: gpuc run --device=sim %s | FileCheck %s --check-prefix=RAN
// RUN: not gpuc -DELSEWHERE -c %s 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: not gpuc -DWRITTEN -c %s 2>&1 | FileCheck %s --check-prefix=WRITTEN
#include <stdio.h>
#ifndef PROMISE
#define PROMISE const(a[0:n])
#define BESIDE
#else
#ifndef BESIDE
#define BESIDE
#endif
#define COPIED copyin(a[0:n])
#endif
#ifndef COPIED
#define COPIED
#endif

// CHECK: ld.global.nc.f32
// CHECK-NOT: ld.global.f32
// PLAIN: ld.global.nc.f32
// PLAIN: ld.global.f32
static void twice(int n, const float *a, float *b)
{
    #pragma acc kernels COPIED PROMISE BESIDE copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
}

#ifdef WRITTEN
// WRITTEN: `a` is written, and a clause says that nothing writes to it
// WRITTEN: a[i] += 1;
static void more(int n, float *a, float *b)
{
    #pragma acc kernels const(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        a[i] += 1;
        b[i] = a[i];
    }
}
#endif

int main(void)
{
    float a[100], b[100];
    for (int i = 0; i < 100; i++)
        a[i] = i;
    twice(100, a, b);
    // RAN: 198
    printf("%g\n", b[99]);
#ifdef ELSEWHERE
    // ELSEWHERE: `const` is not a clause of `enter data`
    #pragma acc enter data const(a) copyin(b)
#endif
    return 0;
}
