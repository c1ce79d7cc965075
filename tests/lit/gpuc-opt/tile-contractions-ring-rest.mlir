// A ring of two runs of terms, and terms that are no whole runs: those that are left are a run of their own behind it, of which nothing
// is on its way.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 stages=2 least-blocks=0}),canonicalize,cse)' %s | FileCheck %s
// CHECK: #[[WHOLE:.*]] = affine_set<(d0) : (-d0 + 10 >= 0)>
// CHECK: nvvm.cp.async.commit.group
// CHECK: affine.for %[[TERM:.*]] = 0 to 16 step 4 {
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: affine.if #[[WHOLE]](%[[TERM]])
// CHECK: nvvm.cp.async.commit.group
// CHECK: llvm.loop_annotation<unroll = <full = true>>
// CHECK-NOT: nvvm.cp.async
// CHECK: gpu.barrier
// CHECK: affine.for %{{.*}} = 0 to 2 {
// CHECK: llvm.loop_annotation<unroll = <disable = true>>
// CHECK: } else {
func.func @product(%a: memref<64x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %b: memref<64x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                   %c: memref<64x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %sum = affine.for %k = 0 to 18 iter_args(%s = %zero) -> (f32) {
        %x = affine.load %a[%i, %k] : memref<64x64xf32>
        %y = affine.load %b[%k, %j] : memref<64x64xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<64x64xf32>
    } {offload.schedule = []}
  }
  return
}
