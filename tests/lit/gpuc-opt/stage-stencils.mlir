// What goes through memory of the block, and what must not.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(stage-stencils{arch=sm_90 tile-sizes=8,32,2 least-blocks=0}),canonicalize,cse)' --split-input-file %s | FileCheck %s
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(stage-stencils{tile-sizes=8,8}))' %s 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(stage-stencils{tile-sizes=8,32,3}))' %s 2>&1 | FileCheck %s --check-prefix=ROWS
// SIZES: tile-sizes are three: rows and columns of a block, rows of a thread
// ROWS: rows a multiple of those of a thread

// A star: rows above, those of the block with a column more on each side, and rows below; no corners. Blocks at the edge read what the
// nest reads.
// CHECK-LABEL: func.func @star
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (1, 1) to (199, 161) step (8, 32)
// CHECK: %[[TILE:.*]] = memref.alloca() : memref<10x34xf32, #gpu.address_space<workgroup>>
// CHECK: affine.if
// CHECK: affine.store %{{.*}}, %[[TILE]][{{.*}}] : memref<10x34xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: affine.load %[[TILE]]
// CHECK-NOT: affine.load %arg0
// CHECK: affine.store %{{.*}}, %arg1
// CHECK: } else {
// CHECK-NOT: workgroup
// CHECK: affine.load %arg0
func.func @star(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                %b: memref<200x200xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 1) to (199, 161) {
      %n = affine.load %a[%i - 1, %j] : memref<200x200xf32>
      %s = affine.load %a[%i + 1, %j] : memref<200x200xf32>
      %w = affine.load %a[%i, %j - 1] : memref<200x200xf32>
      %e = affine.load %a[%i, %j + 1] : memref<200x200xf32>
      %0 = arith.addf %n, %s : f32
      %1 = arith.addf %w, %e : f32
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %b[%i, %j] : memref<200x200xf32>
    } {offload.schedule = []}
  }
  return
}

// -----

// What another iteration of the block writes must be found as it is.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: workgroup
func.func @in_place(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 1) to (90, 90) {
      %n = affine.load %a[%i - 1, %j] : memref<200x200xf32>
      %s = affine.load %a[%i + 1, %j] : memref<200x200xf32>
      %w = affine.load %a[%i, %j - 1] : memref<200x200xf32>
      %e = affine.load %a[%i, %j + 1] : memref<200x200xf32>
      %0 = arith.addf %n, %s : f32
      %1 = arith.addf %w, %e : f32
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %a[%i + 100, %j + 100] : memref<200x200xf32>
    } {offload.schedule = []}
  }
  return
}

// -----

// A diagonal does not touch all of its rectangle; another order of subscripts is no stencil of rows.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: workgroup
func.func @diagonal(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                    %b: memref<200x200xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (190, 160) {
      %sum = affine.for %k = 0 to 9 iter_args(%s = %zero) -> (f32) {
        %x = affine.load %a[%i + %k, %j + %k] : memref<200x200xf32>
        %t = arith.addf %s, %x : f32
        affine.yield %t : f32
      }
      affine.store %sum, %b[%i, %j] : memref<200x200xf32>
    } {offload.schedule = []}
  }
  return
}
