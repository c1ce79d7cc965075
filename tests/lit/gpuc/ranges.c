// What operations and messages point at are ranges of the user's text, through macros, runs of blanks and lines
// that go on.
// RUN: gpuc --emit=source --mlir-print-debuginfo %s | gpuc-opt --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MESSAGE

#define TWICE(x) ((x) * 2)

void f(int n, float *restrict a, float *restrict b) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 1; i < n; i++)
        a[i] =     a[i - 1]  + TWICE(b[i]);
}
// CHECK: [[READ:%.*]] = memref.load %arg1[{{.*}}] {{.*}}loc("{{.*}}ranges.c":11:20 to :28)
// CHECK: memref.load %arg2[{{.*}}] {{.*}}loc("{{.*}}ranges.c":11:32 to :37)
// CHECK: arith.addf [[READ]], {{.*}} loc("{{.*}}ranges.c":11:20 to
// CHECK: memref.store {{.*}} loc("{{.*}}ranges.c":11:9 to :13)
// MESSAGE: warning[GPUC0011]
// MESSAGE-NEXT: ranges.c:10:5
// MESSAGE: for (int i = 1; i < n; i++)
// MESSAGE-NEXT: | {{ *}}^^^^^^^^^^^^^^^^^^^^^^^^^^^{{$}}

void g(int n, float *restrict c) {
#pragma acc kernels copy(c[0:n])
    for (int i = 0; i < n; i++) {
        c[i] = c[i] +
               3;
    }
}
// CHECK: func.func @g_
// CHECK: arith.addf {{.*}} loc("{{.*}}ranges.c":[[@LINE-5]]:16 to [[@LINE-4]]:17)
