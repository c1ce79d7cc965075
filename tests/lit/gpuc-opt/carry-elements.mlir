// What a round stores reaches the loads of the same and of the next round in registers, where nothing else writes it.
// RUN: gpuc-opt --carry-elements --canonicalize %s | FileCheck %s
gpu.module @kernels {
  // The same round: the element as it was stored.
  // CHECK-LABEL: gpu.func @same_round
  // CHECK-NOT: memref.load
  gpu.func @same_round(%n: index, %x: f32, %a: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) {
      %0 = arith.addf %sum, %x : f32
      memref.store %0, %a[%i] : memref<?xf32>
      %1 = memref.load %a[%i] : memref<?xf32>
      %2 = arith.mulf %1, %x : f32
      scf.yield %2 : f32
    }
    memref.store %s, %a[%c0] : memref<?xf32>
    gpu.return
  }
  // Downwards: the element that the round before has stored is one further on. The first one is loaded where a round runs.
  // CHECK-LABEL: gpu.func @downwards
  // CHECK: scf.if
  // CHECK: memref.load
  // CHECK: scf.for {{.*}} iter_args
  // CHECK-NOT: memref.load
  gpu.func @downwards(%n: index, %a: memref<?x?xf32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.subi %n, %i : index
      %0 = memref.load %a[%j, %row] : memref<?x?xf32>
      %1 = arith.addf %0, %0 : f32
      %k = arith.subi %j, %c1 : index
      memref.store %1, %a[%k, %row] : memref<?x?xf32>
    }
    gpu.return
  }
  // Another buffer may be the same memory.
  // CHECK-LABEL: gpu.func @overlapping
  // CHECK: scf.for
  // CHECK-NEXT: memref.load
  gpu.func @overlapping(%n: index, %x: f32, %a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %a[%i] : memref<?xf32>
      %1 = arith.addf %0, %x : f32
      %k = arith.addi %i, %c1 : index
      memref.store %1, %a[%k] : memref<?xf32>
      memref.store %x, %b[%i] : memref<?xf32>
    }
    gpu.return
  }
  // A store that some rounds leave out hands nothing on.
  // CHECK-LABEL: gpu.func @sometimes
  // CHECK: scf.for
  // CHECK-NEXT: memref.load
  gpu.func @sometimes(%n: index, %c: i1, %a: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %a[%i] : memref<?xf32>
      %1 = arith.addf %0, %0 : f32
      %k = arith.addi %i, %c1 : index
      scf.if %c {
        memref.store %1, %a[%k] : memref<?xf32>
      }
    }
    gpu.return
  }
  // An element that was loaded in the round is another one in the next.
  // CHECK-LABEL: gpu.func @gathered
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: memref.load
  gpu.func @gathered(%n: index, %x: f32, %a: memref<?xf32>, %l: memref<?xindex> {offload.storage = "exclusive"}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %at = memref.load %l[%i] : memref<?xindex>
      %0 = memref.load %a[%at] : memref<?xf32>
      %1 = arith.addf %0, %x : f32
      memref.store %1, %a[%at] : memref<?xf32>
    }
    gpu.return
  }
}
