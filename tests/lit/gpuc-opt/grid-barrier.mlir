// Blocks that wait for each other: one thread of each arrives at a word of memory, and waits for its top bit to turn over.
// RUN: gpuc-opt -p 'builtin.module(scf-to-cf,select-ptx{arch=sm_70})' %s | FileCheck %s
// RUN: gpuc-opt --verify-roundtrip %s

// CHECK-LABEL: ptx.func @step
// CHECK: ptx.bar_sync
// CHECK: ptx.cond_bra %{{.*}}, ^[[ARRIVE:bb[0-9]+]], ^[[MET:bb[0-9]+]]
// CHECK: ^[[ARRIVE]]:
// CHECK: %[[LACKING:.*]] = ptx.sub s32
// CHECK: %[[ADDED:.*]] = ptx.selp b32 %[[LACKING]], %{{.*}}
// CHECK: %[[OLD:.*]] = ptx.atom global release add u32 [%[[WORD:.*]]], %[[ADDED]]
// CHECK: ^[[WAIT:bb[0-9]+]]:
// CHECK: %[[SEEN:.*]] = ptx.ld global acquire u32 [%[[WORD]]]
// CHECK: %[[TURNED:.*]] = ptx.xor b32 %[[SEEN]], %[[OLD]]
// CHECK: %[[AGAIN:.*]] = ptx.setp ge s32 %[[TURNED]]
// CHECK: ptx.cond_bra %[[AGAIN]], ^[[WAIT]], ^[[MET]]
// CHECK: ^[[MET]]:
// CHECK: ptx.bar_warp_sync
// CHECK-NEXT: ptx.bar_sync
gpu.module @kernels {
  gpu.func @step(%word: memref<i32>, %a: memref<?xf32>) kernel attributes {offload.resident} {
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %one = arith.constant 1 : index
    %next = arith.addi %block, %one : index
    %other = arith.remui %next, %blocks : index
    // What other blocks have written is read behind the barrier, with a plain load.
    %x = memref.load %a[%other] : memref<?xf32>
    offload.grid_barrier %word : memref<i32>
    // CHECK: ptx.st global f32
    memref.store %x, %a[%block] : memref<?xf32>
    gpu.return
  }
}
