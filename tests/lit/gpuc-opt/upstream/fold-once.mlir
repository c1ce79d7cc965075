// RUN: gpuc-opt %s --test-constant-fold | FileCheck %s
// RUN: gpuc-opt %s --test-constant-fold --mlir-print-debuginfo | FileCheck %s --check-prefix=PLACES
// RUN: gpuc-opt %s --mlir-print-debuginfo | gpuc-opt --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=AGAIN
// RUN: gpuc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: not gpuc-opt %s -p 'builtin.module(func.func(cse,test-pass-failure))' --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: gpuc-opt %s -p 'builtin.module(inline,cse)' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DUMP

// Folding alone: what a pattern would find stays. What folding makes is of no place of the source.

// CHECK-LABEL: func.func @sum
// CHECK: %[[C:.*]] = arith.constant 6 : i32
// CHECK: %[[S:.*]] = arith.addi %arg0, %[[C]]
// CHECK: arith.addi %[[S]], %[[C]]
// PLACES: arith.constant 6 : i32 loc(#[[NONE:.*]])
// PLACES: arith.addi {{.*}} loc(#[[PLACE:.*]])
// PLACES-DAG: #[[NONE]] = loc(unknown)
// PLACES-DAG: #[[PLACE]] = loc("sum.c":3:0)
// AGAIN: arith.addi {{.*}} loc("sum.c":3:0)
// AGAIN: arith.addi {{.*}} loc("rest"("sum.c":4:1))
// GENERIC: "arith.addi"(%{{.*}}, %{{.*}}) <{overflowFlags = #arith.overflow<none>}>
// FAILS: IR Dump After TestFailurePass Failed (test-pass-failure) //----- //
// FAILS: func.func @sum
// DUMP: builtin.module(inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 },cse)
func.func @sum(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32 loc("sum.c":1:0)
  %c5 = arith.constant 5 : i32 loc("sum.c":2:0)
  %c6 = arith.addi %c1, %c5 : i32 loc("sum.c":2:5)
  %0 = arith.addi %x, %c6 : i32 loc("sum.c":3:0)
  %1 = arith.addi %0, %c6 : i32 loc("rest"("sum.c":4:1))
  return %1 : i32
}
