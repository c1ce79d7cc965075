// Functions of system headers that gpuc cannot read are the host's, until a region calls one.
// RUN: gpuc run -Wno-small-region --device=sim %s 2>&1 | FileCheck %s
// RUN: gpuc run -Wno-small-region --device=sim -mavx2 -O2 %s 2>&1 | FileCheck %s
// RUN: not gpuc -DCALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CALL
// CHECK-NOT: warning
// CHECK: 10 6
#include <immintrin.h>
#include <stdio.h>

int main(void)
{
    int x[4];
    float sums[4];
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        x[i] = i * 2;
    __m128 v = _mm_set_ps(4, 3, 2, 1);
    v = _mm_add_ps(v, _mm_movehl_ps(v, v));
    _mm_storeu_ps(sums, v);
#ifdef CALL
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        // CALL: error[GPUC0005]: `_mm_getcsr` is not supported in device code
        // CALL-NEXT: --> tests/lit/gpuc/intrinsics.c:[[@LINE+1]]:16
        x[i] = _mm_getcsr();
#endif
    printf("%g %d\n", sums[0] + sums[1], x[3]);
    return 0;
}
