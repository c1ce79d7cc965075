// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(promote-elements),mem2reg,canonicalize)' %s | FileCheck %s

// The sum goes through a register, where the loop runs at all.
// CHECK-LABEL: func.func @sum
// CHECK: affine.if #set()[%arg0] {
// CHECK-NEXT: %0 = affine.load %arg2[%arg3]
// CHECK-NEXT: %1 = affine.for %arg4 = 0 to %arg0 iter_args(%arg5 = %0)
// CHECK-NOT: affine.store
// CHECK: affine.yield
// CHECK: affine.store %1, %arg2[%arg3]
func.func @sum(%n: index, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
               %y: memref<?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %k] : memref<?x?xf32>
        %s = affine.load %y[%i] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        affine.store %t, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}

// The iteration stores the element whatever happens: no test.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: affine.if
// CHECK: affine.for {{.*}} iter_args
// CHECK: affine.store
// CHECK-NOT: affine.store
// CHECK: return
func.func @scaled(%n: index, %f: f32, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %y: memref<?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %o = affine.load %y[%i] : memref<?xf32>
      %p = arith.mulf %o, %f : f32
      affine.store %p, %y[%i] : memref<?xf32>
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %k] : memref<?x?xf32>
        %s = affine.load %y[%i] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        affine.store %t, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}

// Another pointer may point to the element: it stays in memory.
// CHECK-LABEL: func.func @overlapping
// CHECK: affine.for %arg4 = 0 to %arg0 {
// CHECK: affine.load %arg2
// CHECK: affine.store
func.func @overlapping(%n: index, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin"},
                       %y: memref<?xf32> {offload.name = "y", offload.map = "copy"}) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %k] : memref<?x?xf32>
        %s = affine.load %y[%i] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        affine.store %t, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}

// So does one that the loop reads by another subscript.
// CHECK-LABEL: func.func @recurrent
// CHECK: affine.for %arg3 = 0 to %arg0 {
// CHECK: affine.store
func.func @recurrent(%n: index, %y: memref<?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.for %k = 0 to %n {
        %x = affine.load %y[%k] : memref<?xf32>
        %s = affine.load %y[%i] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        affine.store %t, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}
