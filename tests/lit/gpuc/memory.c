// What memcpy and its kind become in device code: loops over what both sides hold, members of structures with what
// lies between them, and located refusals.
// RUN: gpuc --emit=source %s -o - | FileCheck %s
// RUN: not gpuc -DREFUSED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REFUSED
#include <string.h>
#include <stdlib.h>

struct padded { double weight; int number; };

void f(int n, int m, float *a, const float *b, unsigned *bits, char *c, struct padded *p)
{
#ifdef REFUSED
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        float x;
        memcpy(&x, a + i, 3);
        // REFUSED: error{{.*}}: only all of a variable can be copied or set at once in device code
        // REFUSED: the variable has 4 bytes
        a[i] = x;
        float *y = realloc(NULL, 4);
        // REFUSED: error{{.*}}: `realloc` cannot be called in device code
        // REFUSED: help: allocate anew with `malloc`, and copy with `memcpy`
        free(y);
    }
#else
    // A row of numbers: one loop.
    // CHECK-LABEL: func.func @f_L[[#@LINE+6]]
    // CHECK: scf.for
    // CHECK-NEXT: arith.addi
    // CHECK-NEXT: [[X:%.*]] = memref.load %arg3[{{.*}}] : memref<?xf32>
    // CHECK-NEXT: memref.store [[X]], %arg1[{{.*}}] : memref<?xf32>
    // CHECK-NOT: scf.for
    #pragma acc parallel loop copy(a[0:n*m]) copyin(b[0:n*m])
    for (int i = 0; i < n; i++)
        memcpy(a + i * m, b + i * m, m * sizeof(float));
    // Bits of a number.
    // CHECK-LABEL: func.func @f_L[[#@LINE+3]]
    // CHECK: [[BITS:%.*]] = arith.bitcast {{.*}} : f32 to i32
    // CHECK-NEXT: memref.store [[BITS]], %arg2
    #pragma acc parallel loop copyin(b[0:n]) copyout(bits[0:n])
    for (int i = 0; i < n; i++) {
        float x = b[i] * 2;
        memcpy(&bits[i], &x, sizeof x);
    }
    // Bytes in words, and what is left behind them; a structure by its members, and what lies behind them.
    // CHECK-LABEL: func.func @f_L[[#@LINE+9]]
    // CHECK: scf.for
    // CHECK: memref.store {{.*}} : memref<i64>
    // CHECK: scf.for
    // CHECK: memref.store {{.*}} : memref<i8>
    // CHECK: memref.view {{.*}} to memref<f64>
    // CHECK: memref.view {{.*}} to memref<i32>
    // CHECK: arith.addi {{.*}}, %c12
    // CHECK: memref.view {{.*}} to memref<i32>
    #pragma acc parallel loop copyout(p[0:n])
    for (int i = 0; i < n; i++) {
        memset(p + i, 1, m);
        memset(p + i, 0, sizeof *p);
    }
#endif
}
