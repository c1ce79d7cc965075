// RUN: gpuc-opt %s --split-input-file --raise-affine | FileCheck %s
// Bounds that a program chooses between two numbers are the greatest or least of several.

// CHECK-DAG: #[[LOW:.*]] = affine_map<(d0) -> (d0 - 3, 0)>
// CHECK-DAG: #[[HIGH:.*]] = affine_map<(d0)[s0] -> (s0, d0 + 4)>
// CHECK-LABEL: func.func @band
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK: affine.for %{{.*}} = max #[[LOW]](%[[I]]) to min #[[HIGH]](%[[I]])[%{{.*}}]
func.func @band(%n: index, %a: memref<?x?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %i, %c3 : index
    %inside = arith.cmpi sgt, %left, %c0 : index
    %low = arith.select %inside, %left, %c0 : index
    %right = arith.addi %i, %c4 : index
    %outside = arith.cmpi slt, %n, %right : index
    %high = arith.select %outside, %n, %right : index
    scf.for %j = %low to %high step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// What is chosen differs from what is compared by the same number: still the greatest.
// CHECK-DAG: #[[LOW:.*]] = affine_map<(d0) -> (d0 - 3, 0)>
// CHECK-LABEL: func.func @moved
// CHECK: affine.for %{{.*}} = max #[[LOW]](%{{.*}}) to
func.func @moved(%n: index, %a: memref<?x?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %i, %c3 : index
    %inside = arith.cmpi sge, %i, %c4 : index
    %low = arith.select %inside, %left, %c0 : index
    scf.for %j = %low to %n step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// The greatest of two numbers is no end, the least no start, and a number that jumps is neither.
// CHECK-LABEL: func.func @other_way
// CHECK: affine.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
func.func @other_way(%n: index, %a: memref<?x?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %n step %c1 {
    %beyond = arith.cmpi sgt, %i, %c3 : index
    %greatest = arith.select %beyond, %i, %c3 : index
    %least = arith.select %beyond, %c3, %i : index
    %jump = arith.select %beyond, %i, %c5 : index
    scf.for %j = %c0 to %greatest step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
    scf.for %j = %least to %n step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
    scf.for %j = %jump to %n step %c1 {
      memref.store %v, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
