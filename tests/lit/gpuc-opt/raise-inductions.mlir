// Carried numbers that grow evenly, and some that do not.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(raise-inductions),canonicalize,cse)' %s | FileCheck %s

// CHECK-LABEL: func.func @grows
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NOT: iter_args
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: memref.store
// CHECK: arith.maxsi
func.func @grows(%a: memref<?xi32>, %n: index, %first: index, %by: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first) -> (index) {
    memref.store %one, %a[%k] : memref<?xi32>
    %next = arith.addi %k, %by : index
    scf.yield %next : index
  }
  return %last : index
}

// An `int` that does not wrap around is said to fit.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.index_cast %{{.*}} {offload.fits} : index to i32
func.func @narrow(%a: memref<?xi32>, %n: index, %first: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first) -> (i32) {
    %at = arith.index_cast %i : index to i32
    memref.store %k, %a[%i] : memref<?xi32>
    %next = arith.subi %k, %two overflow<nsw> : i32
    scf.yield %next : i32
  }
  return
}

// A number that each iteration sets.
// CHECK-LABEL: func.func @set
// CHECK: iter_args
func.func @set(%a: memref<?xi32>, %n: index, %first: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first) -> (index) {
    memref.store %one, %a[%k] : memref<?xi32>
    scf.yield %c0 : index
  }
  return %last : index
}

// What is doubled, or grows by the loop's variable, does not grow evenly.
// CHECK-LABEL: func.func @uneven
// CHECK: iter_args(%{{.*}}, %{{.*}})
func.func @uneven(%a: memref<?xi32>, %n: index, %first: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%k = %first, %l = %first) -> (index, index) {
    memref.store %one, %a[%k] : memref<?xi32>
    memref.store %one, %a[%l] : memref<?xi32>
    %double = arith.addi %k, %k : index
    %more = arith.addi %l, %i : index
    scf.yield %double, %more : index, index
  }
  return %last#0, %last#1 : index, index
}
