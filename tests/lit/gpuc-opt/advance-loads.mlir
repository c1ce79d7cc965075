// Loads go in front of stores that do not write what they load, with what their subscripts are computed by.
// RUN: gpuc-opt --advance-loads %s | FileCheck %s
// RUN: gpuc-opt --advance-loads=words=1 %s | FileCheck %s --check-prefix=ONE
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @moved
  // CHECK: scf.for
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: arith.addi
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: memref.store
  // No more than wait in so many registers.
  // ONE-LABEL: gpu.func @moved
  // ONE: scf.for
  // ONE-NEXT: memref.load
  // ONE-NEXT: memref.store
  gpu.func @moved(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %n step %c2 {
      %0 = memref.load %a[%i] : memref<?xf32>
      memref.store %0, %b[%i] : memref<?xf32>
      %k = arith.addi %i, %c1 : index
      %1 = memref.load %a[%k] : memref<?xf32>
      memref.store %1, %b[%k] : memref<?xf32>
    }
    gpu.return
  }
  // Rows of one array: what is loaded is of another row than what is stored, and of the same where it stays.
  // CHECK-LABEL: gpu.func @rows
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: memref.store
  // CHECK-NEXT: memref.load
  gpu.func @rows(%n: index, %r: index, %x: f32, %a: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %a[%r, %j] : memref<?x?xf32>
      %0 = memref.load %a[%j, %j] : memref<?x?xf32>
      %up = arith.addi %r, %c1 : index
      %1 = memref.load %a[%up, %j] : memref<?x?xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %a[%r, %j] : memref<?x?xf32>
    }
    gpu.return
  }
  // Behind a barrier others have written.
  // CHECK-LABEL: gpu.func @barrier
  // CHECK: gpu.barrier
  // CHECK-NEXT: memref.load
  gpu.func @barrier(%n: index, %x: f32, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %b[%i] : memref<?xf32>
      gpu.barrier
      %0 = memref.load %a[%i] : memref<?xf32>
      memref.store %0, %b[%i] : memref<?xf32>
    }
    gpu.return
  }
}
