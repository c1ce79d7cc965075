// A product in tiles of the block and of each thread: the whole way of docs/passes.md, with small tiles.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 wide=false least-blocks=0}),canonicalize,cse)' %s | FileCheck %s
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 least-blocks=0}),canonicalize,cse)' %s | FileCheck %s --check-prefix=WIDE
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{tile-sizes=8,8}))' %s 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{tile-sizes=8,8}))' %S/stage-transposes.mlir 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{tile-sizes=8,12,4 thread-sizes=2,2}))' %s 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{tile-sizes=256,256,64 thread-sizes=8,8}))' %s 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_75 tile-sizes=8,8,4 thread-sizes=2,2 stages=3}))' %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: copies in the background that sm_75 has not
// SIZES: tile-sizes are three: rows, columns and terms
// POWER: tile-sizes and thread-sizes are powers of two
// LARGE: the tiles of 'tile 256x256 by 64, 8x8 a thread, 16-byte copies' cannot be dealt over its threads, are too large

// CHECK-LABEL: func.func @product
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (37, 64) step (8, 8) {
// CHECK: memref.alloca() : memref<4x12xf32, #gpu.address_space<workgroup>>
// CHECK: memref.alloca() : memref<4x8xf32, #gpu.address_space<workgroup>>
// CHECK: memref.alloca() : memref<4x4x2x2xf32>
// CHECK: affine.for %{{.*}} = 0 to 12 step 4 {
// Rows beyond the last are the last one.
// CHECK: affine.min
// CHECK: } {mapping = [#offload.map<thread_y(4) * thread_x(4)>]}
// CHECK: gpu.barrier
// CHECK: affine.for %{{.*}} = 0 to 4 {
// CHECK: affine.vector_load %{{.*}} : memref<4x12xf32, #gpu.address_space<workgroup>>, vector<2xf32>
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
// CHECK: gpu.barrier
// What is left of the terms: a run of one.
// CHECK: affine.parallel
// CHECK: memref.load
// CHECK: gpu.barrier
// CHECK: affine.vector_load %{{.*}}[0, %
// CHECK: affine.if
// CHECK: affine.store
// CHECK: } {mapping = [#offload.map<block_y>, #offload.map<block_x>], nvvm.minctasm = 1 : i64}

// The host asks what copies of 16 bytes need.
// WIDE: offload.aligned %arg1, 16 : memref<64x64xf32>
// WIDE: scf.if
// WIDE: affine.vector_load %arg1[{{.*}}] : memref<64x64xf32>, vector<4xf32>
func.func @product(%a: memref<64x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %b: memref<64x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                   %c: memref<64x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %sum = affine.for %k = 0 to 13 iter_args(%s = %zero) -> (f32) {
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
