// A product whose tiles form a ring that is filled in the background.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 stages=3 least-blocks=0}),canonicalize,cse)' %s | FileCheck %s
// Three runs of terms in the ring: two are on their way ahead of the loop; a wait and a barrier stand before each run's
// products, and what comes in behind the next ones goes where the run before was.
// CHECK: memref.alloca() : memref<12x12xf32, #gpu.address_space<workgroup>>
// CHECK: memref.alloca() : memref<12x8xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: nvvm.cp.async.commit.group
// CHECK: affine.for %{{.*}} = 0 to 16 step 4 {
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: affine.if
// CHECK: affine.store %{{.*}} {nvvm.async} : memref<12x12xf32, #gpu.address_space<workgroup>>
// CHECK: affine.vector_store %{{.*}} {nvvm.async} : memref<12x8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: gpu.barrier
// CHECK: llvm.loop_annotation
// CHECK-NOT: gpu.barrier
// CHECK: } else {
func.func @product(%a: memref<64x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %b: memref<64x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                   %c: memref<64x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %sum = affine.for %k = 0 to 16 iter_args(%s = %zero) -> (f32) {
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
