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

// A symmetric result: the element is local up to where it is stored a second time, perhaps as the same one.
// CHECK-LABEL: func.func @symmetric
// CHECK: affine.parallel
// CHECK: affine.parallel
// CHECK-NOT: affine.if
// CHECK: %[[SUM:.*]] = affine.for {{.*}} iter_args
// CHECK: affine.store %[[SUM]], %arg2[%[[I:.*]], %[[J:.*]]]
// CHECK-NEXT: affine.store %[[SUM]], %arg2[%[[J]], %[[I]]]
func.func @symmetric(%n: index, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                     %y: memref<?x?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.parallel (%j) = (%i) to (symbol(%n)) {
        affine.store %zero, %y[%i, %j] : memref<?x?xf32>
        affine.for %k = 0 to %n {
          %x = affine.load %a[%k, %j] : memref<?x?xf32>
          %s = affine.load %y[%i, %j] : memref<?x?xf32>
          %t = arith.addf %s, %x : f32
          affine.store %t, %y[%i, %j] : memref<?x?xf32>
        }
        %r = affine.load %y[%i, %j] : memref<?x?xf32>
        affine.store %r, %y[%j, %i] : memref<?x?xf32>
      }
    }
  }
  return
}

// The other access may be to the same element before the sum is done: nothing is local to the iteration.
// CHECK-LABEL: func.func @symmetric_between
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.load %arg2
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg2
func.func @symmetric_between(%n: index, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                             %y: memref<?x?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.parallel (%j) = (%i) to (symbol(%n)) {
        affine.store %zero, %y[%i, %j] : memref<?x?xf32>
        affine.store %one, %y[%j, %i] : memref<?x?xf32>
        affine.for %k = 0 to %n {
          %x = affine.load %a[%k, %j] : memref<?x?xf32>
          %s = affine.load %y[%i, %j] : memref<?x?xf32>
          %t = arith.addf %s, %x : f32
          affine.store %t, %y[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
