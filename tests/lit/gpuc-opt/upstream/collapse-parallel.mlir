// RUN: gpuc-opt %s -p 'builtin.module(test-scf-parallel-loop-collapsing{collapsed-indices-0=0,1})' | FileCheck %s
// RUN: gpuc-opt %s -p 'builtin.module(test-scf-parallel-loop-collapsing{collapsed-indices-0=1,0})' --run=main | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s -p 'builtin.module(test-scf-parallel-loop-collapsing{collapsed-indices-0=0 collapsed-indices-1=1})' --run=main | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s --run=main | FileCheck %s --check-prefix=EXEC
// RUN: not gpuc-opt %s -p 'builtin.module(test-scf-parallel-loop-collapsing{collapsed-indices-0=0,2})' 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not gpuc-opt %s -p 'builtin.module(test-scf-parallel-loop-collapsing{collapsed-indices-0=0})' 2>&1 | FileCheck %s --check-prefix=RANK

// GAP: collapsed-indices arguments must include all values [0,N).
// RANK: error: 'scf.parallel' op has 2 iter args while this limited functionality testing pass was configured only for loops with exactly 1 iter args.

// Two numbers of iterations that may be negative would multiply to one that is not.

// CHECK-LABEL: func.func private @count
// CHECK: %[[R:.*]] = arith.ceildivsi
// CHECK: %[[C:.*]] = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK: arith.muli %{{.*}}, %[[R]]
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[C]]
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[ALL]]) step
// CHECK: arith.remsi %[[I]], %[[C]]
// CHECK: arith.divsi %[[I]], %[[C]]
func.func private @count(%rows: index, %columns: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %m = memref.alloc() : memref<1xi64>
  memref.store %zero, %m[%c0] : memref<1xi64>
  scf.parallel (%i, %j) = (%c2, %c3) to (%rows, %columns) step (%c2, %c3) {
    %product = arith.muli %i, %j : index
    %number = arith.index_cast %product : index to i64
    %before = memref.atomic_rmw addi %number, %m[%c0] : (i64, memref<1xi64>) -> i64
    scf.reduce
  }
  %0 = memref.load %m[%c0] : memref<1xi64>
  memref.dealloc %m : memref<1xi64>
  return %0 : i64
}

// (2 + 4) * (3 + 6); nothing; nothing, though both are less than nothing.

// EXEC: 54
// EXEC: 0
// EXEC: 0
func.func @main() -> (i64, i64, i64) {
  %c-9 = arith.constant -9 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %0 = call @count(%c5, %c8) : (index, index) -> i64
  %1 = call @count(%c5, %c-9) : (index, index) -> i64
  %2 = call @count(%c-9, %c-9) : (index, index) -> i64
  return %0, %1, %2 : i64, i64, i64
}
