// Threads with several iterations, what they load once, and what is refused.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(coarsen-threads{factor=4 least-threads=0}),canonicalize,cse)' --split-input-file %s | FileCheck %s
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(coarsen-threads{factor=33}))' %s 2>&1 | FileCheck %s --check-prefix=FACTOR
// FACTOR: a thread takes 1 to 32 iterations

// Six rows for four results, and weights once; threads at the end go one by one.
// CHECK-LABEL: func.func @weighted
// CHECK: affine.parallel (%[[I:.*]], %{{.*}}) = (1, 0) to (64, 64) step (4, 1)
// CHECK: affine.if
// CHECK-COUNT-1: affine.load %arg1[0]
// CHECK-COUNT-2: affine.load %arg0
// CHECK: affine.store %{{.*}}, %arg2[%[[I]],
// CHECK-COUNT-1: affine.load %arg0
// CHECK-NOT: affine.load
// CHECK: affine.store %{{.*}}, %arg2[%[[I]] + 1,
// CHECK: affine.store %{{.*}}, %arg2[%[[I]] + 2,
// CHECK: affine.store %{{.*}}, %arg2[%[[I]] + 3,
// CHECK: } else {
// CHECK: affine.for %{{.*}} = #{{.*}}(%[[I]]) to 64
// CHECK: affine.load %arg1[0]
func.func @weighted(%a: memref<66x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                    %w: memref<1xf32> {offload.name = "w", offload.map = "copyin", offload.storage = "restrict"},
                    %b: memref<66x64xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 0) to (64, 64) {
      %f = affine.load %w[0] : memref<1xf32>
      %n = affine.load %a[%i - 1, %j] : memref<66x64xf32>
      %s = affine.load %a[%i, %j] : memref<66x64xf32>
      %0 = arith.addf %n, %s : f32
      %1 = arith.mulf %0, %f : f32
      affine.store %1, %b[%i, %j] : memref<66x64xf32>
    } {offload.schedule = []}
  }
  return
}

// -----

// What is written stays where it is.
// CHECK-LABEL: func.func @in_place
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (1, 0) to (65, 64) {
func.func @in_place(%a: memref<66x64xf32> {offload.name = "a", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 0) to (65, 64) {
      %n = affine.load %a[%i - 1, %j] : memref<66x64xf32>
      %s = affine.load %a[%i + 1, %j] : memref<66x64xf32>
      %0 = arith.addf %n, %s : f32
      affine.store %0, %a[%i, %j] : memref<66x64xf32>
    } {offload.schedule = []}
  }
  return
}
