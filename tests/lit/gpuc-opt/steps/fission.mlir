// A loop that carries a sum and writes beside it becomes two, where rows wait for the writes alone.
// RUN: gpuc-opt --split-input-file --affine-fission --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-fission=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @symmetric
// CHECK: affine.for
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg3
// CHECK: affine.for %{{.*}} iter_args
// CHECK-NOT: affine.store
// CHECK: affine.yield
// CHECK: affine.store %{{.*}}, %arg4
// REMARK: What this loop writes and what it computes beside it are two loops
func.func @symmetric(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %x: memref<?xf32> {offload.storage = "exclusive"},
                     %c: memref<?xf32> {offload.storage = "exclusive"}, %y: memref<?xf32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        %1 = affine.load %c[%k] : memref<?xf32>
        %2 = arith.addf %1, %0 : f32
        affine.store %2, %c[%k] : memref<?xf32>
        %3 = affine.load %x[%k] : memref<?xf32>
        %4 = arith.mulf %0, %3 : f32
        %5 = arith.addf %so_far, %4 : f32
        affine.yield %5 : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// What is written comes behind the sum that reads what was there.
// CHECK-LABEL: func.func @behind
// CHECK: affine.for %{{.*}} iter_args
// CHECK-NOT: affine.store
// CHECK: affine.yield
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.store %{{.*}}, %arg3
func.func @behind(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %c: memref<?x?xf32> {offload.storage = "exclusive"},
                  %e: memref<?xf32> {offload.storage = "exclusive"}, %y: memref<?xf32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        affine.store %0, %c[%i, %k] : memref<?x?xf32>
        %1 = affine.load %e[%k] : memref<?xf32>
        %2 = arith.addf %1, %0 : f32
        affine.store %2, %e[%k] : memref<?xf32>
        %3 = affine.load %c[%i, %k + 1] : memref<?x?xf32>
        %4 = arith.addf %so_far, %3 : f32
        affine.yield %4 : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// The sum reads what other rows have written, and rows write where the sum has read.
// CHECK-LABEL: func.func @circle
// CHECK: affine.for
// CHECK: affine.for %{{.*}} iter_args
// CHECK: affine.store
// CHECK: affine.yield
// REMARK: affine-fission: what it writes and what it carries are in a circle of dependences
func.func @circle(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %c: memref<?xf32> {offload.storage = "exclusive"},
                  %d: memref<?x?xf32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        %1 = affine.load %c[%k] : memref<?xf32>
        %2 = affine.load %d[0, %k] : memref<?x?xf32>
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %c[%k] : memref<?xf32>
        %4 = affine.load %c[%k + 1] : memref<?xf32>
        %5 = arith.addf %so_far, %4 : f32
        affine.yield %5 : f32
      }
      affine.store %sum, %d[%i, 0] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Each element that is written is a sum so far: there are no two loops in it.
// CHECK-LABEL: func.func @prefix
// CHECK: affine.for
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @prefix(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %c: memref<?xf32> {offload.storage = "exclusive"},
                  %y: memref<?xf32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        %1 = affine.load %c[%k] : memref<?xf32>
        %2 = arith.addf %so_far, %0 : f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %c[%k] : memref<?xf32>
        affine.yield %2 : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Rows do not wait for each other: one loop reads what both need once.
// CHECK-LABEL: func.func @free
// CHECK: affine.for
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @free(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %c: memref<?x?xf32> {offload.storage = "exclusive"},
                %y: memref<?xf32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        affine.store %0, %c[%i, %k] : memref<?x?xf32>
        %2 = arith.addf %so_far, %0 : f32
        affine.yield %2 : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}
