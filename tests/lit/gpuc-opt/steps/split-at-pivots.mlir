// Loops that one iteration holds up are cut there; see docs/passes.md.
// RUN: gpuc-opt --split-input-file --split-at-pivots --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --split-at-pivots=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// Whether the pivot is an iteration at all is for the bounds to say.
// CHECK-DAG: #[[AT:.*]] = affine_map<(d0) -> (2, d0)>
// CHECK-DAG: #[[TO:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0)[s0] -> (s0, d0 + 1)>
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0) -> (2, d0 + 1)>
// CHECK-LABEL: func.func @line
// CHECK: affine.for %[[K:.*]] = 0 to
// CHECK-NEXT: affine.for %{{.*}} = 2 to min #[[TO]](%[[K]])[%{{.*}}] {
// CHECK: affine.for %{{.*}} = max #[[AT]](%[[K]]) to min #[[NEXT]](%[[K]])[%{{.*}}] {
// CHECK: affine.for %{{.*}} = max #[[FROM]](%[[K]]) to %{{.*}} {
// REMARK: Loop split at {{.*}}, the iteration that the others depend on
func.func @line(%n: index, %m: index, %x: memref<?xi32>) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 2 to %m {
        %0 = affine.load %x[%k] : memref<?xi32>
        %1 = affine.load %x[%i] : memref<?xi32>
        %2 = arith.addi %0, %1 : i32
        affine.store %2, %x[%i] : memref<?xi32>
      }
    }
  }
  return
}

// -----

// A dependence of neighbours goes past the pivot.
// CHECK-LABEL: func.func @neighbours
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.for
// REMARK: iterations depend on each other past every pivot
// REMARK: flow dependence of {{.*}}, direction (=, <)
func.func @neighbours(%n: index, %x: memref<?xi32>) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 1 to %n {
        %0 = affine.load %x[%k] : memref<?xi32>
        %1 = affine.load %x[%i - 1] : memref<?xi32>
        %2 = arith.addi %0, %1 : i32
        affine.store %2, %x[%i] : memref<?xi32>
      }
    }
  }
  return
}

// -----

// What is parallel in columns is left: they take no launch for each pivot.
// CHECK-LABEL: func.func @columns
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.for
func.func @columns(%n: index, %x: memref<?x?xi32>) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %0 = affine.load %x[%k, %j] : memref<?x?xi32>
          %1 = affine.load %x[%i, %j] : memref<?x?xi32>
          %2 = arith.addi %0, %1 : i32
          affine.store %2, %x[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}
