// IR at the level of kernels beside C.
// RUN: gpuc %S/main.c %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 %t | FileCheck %s
// CHECK: 0 elements: 0
// CHECK: 1 elements: 3
// CHECK: 131 elements: 25938
// RUN: gpuc --emit=ptx-ir %s -o %t.mlir
// RUN: gpuc --emit=ptx %t.mlir -o - | FileCheck %s --check-prefix=PTX
// RUN: gpuc %S/main.c %t.mlir -o %t.2
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 %t.2 | FileCheck %s
// PTX: .entry scale(
// RUN: not gpuc --emit=affine %s -o - 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error[GPUC0013]: `{{.*}}scale.mlir` is at level gpu already
// RUN: not gpuc --emit=kir %s -o - 2>&1 | FileCheck %s --check-prefix=KIR
// KIR: error[GPUC0013]: `{{.*}}scale.mlir` has no such level
gpu.module @kernels {
  gpu.func @scale(%n: i32, %by: f32, %x: memref<?xf32>) kernel {
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %size : index
    %i = arith.addi %first, %thread : index
    %end = arith.index_cast %n : i32 to index
    %inside = arith.cmpi slt, %i, %end : index
    scf.if %inside {
      %old = memref.load %x[%i] : memref<?xf32>
      %new = arith.mulf %old, %by : f32
      memref.store %new, %x[%i] : memref<?xf32>
    }
    gpu.return
  }
}
