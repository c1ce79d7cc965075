// Products of which each row has terms of its own: full runs as of any product, and those that only some rows have asked for row by row.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 wide=false least-blocks=0}),canonicalize,cse)' %s | FileCheck %s
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 stages=2 least-blocks=0}))' %s 2>&1 | FileCheck %s --check-prefix=RING
// RING: the tiles of 'tile 8x8 by 4, 2x2 a thread{{.*}}' cannot be dealt over its threads, are too large, or want copies in the background

// Runs begin at multiples of their length, so that 16 bytes of a row can be copied at once.
// CHECK-DAG: #[[START:.*]] = affine_map<(d0) -> (((d0 + 1) floordiv 4) * 4)>
// The last row of the block has all terms of a run.
// CHECK-DAG: #[[FULL:.*]] = affine_set<(d0, d1) : (-d0 + d1 - 8 >= 0, -d1 + 36 >= 0, -d0 + d1 - 5 >= 0, -d1 + 33 >= 0)>
// CHECK-DAG: #[[SOME:.*]] = affine_set<(d0) : (-d0 + 35 >= 0)>
// CHECK-LABEL: func.func @behind_the_row
// CHECK: affine.parallel (%[[I:.*]], %{{.*}}) = (0, 0) to (37, 64) step (8, 8) {
// CHECK: affine.if #[[SOME]](%[[I]]) {
// CHECK: affine.for %[[K:.*]] = #[[START]](%[[I]]) to 37 step 4 {
// CHECK: affine.if #[[FULL]](%[[I]], %[[K]]) {
// CHECK: gpu.barrier
// CHECK-NOT: arith.select
// CHECK: gpu.barrier
// CHECK: } else {
// Where no row of the block has the term, an element that the first row has is loaded in its place.
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]] : index
// CHECK: memref.load %arg0[%{{.*}}, %[[AT]]] : memref<37x64xf32>
// CHECK: gpu.barrier
// What comes of a term that is not the row's is not taken.
// CHECK-COUNT-4: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>}
func.func @behind_the_row(%a: memref<37x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                          %b: memref<37x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                          %c: memref<37x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %sum = affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 37 iter_args(%s = %zero) -> (f32) {
        %x = affine.load %a[%k, %i] : memref<37x64xf32>
        %y = affine.load %b[%k, %j] : memref<37x64xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<37x64xf32>
    } {offload.schedule = []}
  }
  return
}

// Two sums, one after another, in the same tiles.
// CHECK-LABEL: func.func @two_halves
// CHECK-COUNT-2: gpu.address_space<workgroup>>
// CHECK-NOT: memref.alloca() : {{.*}}workgroup
// CHECK: affine.for %{{.*}} to {{.*}} step 4
// CHECK: affine.for %{{.*}} to 37 step 4
// CHECK: affine.store {{.*}} : memref<37x64xf32>
func.func @two_halves(%a: memref<37x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                      %b: memref<37x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                      %c: memref<37x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %low = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%s = %zero) -> (f32) {
        %x = affine.load %a[%k, %i] : memref<37x64xf32>
        %y = affine.load %b[%k, %j] : memref<37x64xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      %sum = affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 37 iter_args(%s = %low) -> (f32) {
        %x = affine.load %a[%k, %i] : memref<37x64xf32>
        %y = affine.load %b[%k, %j] : memref<37x64xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<37x64xf32>
    } {offload.schedule = []}
  }
  return
}
