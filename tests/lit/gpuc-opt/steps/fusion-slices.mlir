// Nests of other bounds and orders become one: a nest gets what it needs of an earlier one, iteration by iteration.
// RUN: gpuc-opt --split-input-file --affine-loop-fusion %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-loop-fusion=fusion-maximal %s | FileCheck %s --check-prefix=MAXIMAL
// RUN: gpuc-opt --split-input-file '--affine-loop-fusion=fusion-fast-mem-space=3 fusion-local-buf-threshold=1' %s | FileCheck %s --check-prefix=FAST
// RUN: gpuc-opt --split-input-file --affine-loop-fusion=fusion-compute-tolerance=9.5 %s | FileCheck %s --check-prefix=TOLERANT
// RUN: not gpuc-opt --split-input-file --affine-loop-fusion=fusion-compute-tolerance=-1 %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: a tolerated share of operations is a number from 0 on

// Another order of loops, other bounds: an element is computed where it is read, and one is kept.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<1x1xf32>
// CHECK-NOT: memref.alloc
// CHECK: affine.for %[[I:.*]] = 1 to 8 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 8 {
// CHECK-NEXT: affine.apply
// CHECK-NEXT: affine.store %{{.*}}, %[[OWN]][0, 0]
// CHECK-NEXT: %[[X:.*]] = affine.load %[[OWN]][0, 0]
// CHECK-NEXT: affine.store %[[X]], %arg0[%[[I]], %[[J]]]
// CHECK-NOT: affine.for
// FAST-LABEL: func.func @transposed
// FAST: memref.alloc() : memref<1x1xf32, 3>
func.func @transposed(%out: memref<8x8xf32>, %f: f32) {
  %m = memref.alloc() : memref<8x8xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 7 {
      affine.store %f, %m[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 1 to 8 {
    affine.for %j = 0 to 8 {
      %x = affine.load %m[%j, %i - 1] : memref<8x8xf32>
      affine.store %x, %out[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// -----

// Three elements for one are more than is tolerated, unless more is.
// CHECK-LABEL: func.func @window
// CHECK-COUNT-2: affine.for
// TOLERANT-LABEL: func.func @window
// TOLERANT: memref.alloc() : memref<3xf32>
// TOLERANT: affine.for %[[I:.*]] = 0 to 30 {
// TOLERANT-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) {
// TOLERANT: affine.load %{{.*}}[2] : memref<3xf32>
// MAXIMAL-LABEL: func.func @window
// MAXIMAL: memref.alloc() : memref<3xf32>
func.func @window(%in: memref<32xf32>, %out: memref<32xf32> {offload.storage = "exclusive"}) {
  %m = memref.alloc() : memref<32xf32>
  affine.for %i = 0 to 32 {
    %x = affine.load %in[%i] : memref<32xf32>
    %a = arith.mulf %x, %x : f32
    %b = arith.mulf %a, %x : f32
    %c = arith.mulf %b, %x : f32
    affine.store %c, %m[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 30 {
    %x = affine.load %m[%i] : memref<32xf32>
    %y = affine.load %m[%i + 1] : memref<32xf32>
    %z = affine.load %m[%i + 2] : memref<32xf32>
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    affine.store %t, %out[%i] : memref<32xf32>
  }
  return
}

// -----

// The nest that somebody else reads stays, and what goes into the reader has a buffer of its own.
// CHECK-LABEL: func.func @kept
// CHECK-DAG: memref.alloc() : memref<1xf32>
// CHECK: affine.for %{{.*}} = 0 to 32 {
// CHECK-NEXT: affine.store %{{.*}} : memref<32xf32>
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK-NEXT: affine.store %{{.*}} : memref<1xf32>
// CHECK-NEXT: affine.load %{{.*}} : memref<1xf32>
func.func @kept(%m: memref<32xf32> {offload.storage = "exclusive"}, %out: memref<32xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to 32 {
    affine.store %f, %m[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %m[%i] : memref<32xf32>
    affine.store %x, %out[%i] : memref<32xf32>
  }
  return
}

// -----

// Once more would add twice.
// CHECK-LABEL: func.func @updates
// CHECK: affine.for
// CHECK: affine.for
// MAXIMAL-LABEL: func.func @updates
// MAXIMAL: affine.for
// MAXIMAL-NEXT: affine.load
// MAXIMAL-NEXT: arith.addf
// MAXIMAL-NEXT: affine.store
// MAXIMAL-NEXT: }
// MAXIMAL-NEXT: affine.for
func.func @updates(%m: memref<8xf32> {offload.storage = "exclusive"}, %out: memref<8x8xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to 8 {
    %x = affine.load %m[%i] : memref<8xf32>
    %y = arith.addf %x, %f : f32
    affine.store %y, %m[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %x = affine.load %m[%j] : memref<8xf32>
      affine.store %x, %out[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// -----

// The second nest overwrites what a later part of the first one would read.
// CHECK-LABEL: func.func @overwritten
// CHECK-COUNT-2: affine.for
// MAXIMAL-LABEL: func.func @overwritten
// MAXIMAL-COUNT-2: affine.for
func.func @overwritten(%a: memref<33xf32> {offload.storage = "exclusive"}) {
  %m = memref.alloc() : memref<32xf32>
  affine.for %i = 0 to 32 {
    %x = affine.load %a[%i] : memref<33xf32>
    affine.store %x, %m[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 32 {
    %x = affine.load %m[%i] : memref<32xf32>
    affine.store %x, %a[%i + 1] : memref<33xf32>
  }
  return
}

// -----

// An element depends on the one before, which another iteration would have.
// CHECK-LABEL: func.func @recurrence
// CHECK-COUNT-2: affine.for
// MAXIMAL-LABEL: func.func @recurrence
// MAXIMAL-COUNT-2: affine.for
func.func @recurrence(%out: memref<32xf32> {offload.storage = "exclusive"}, %f: f32) {
  %m = memref.alloc() : memref<33xf32>
  affine.store %f, %m[0] : memref<33xf32>
  affine.for %i = 0 to 32 {
    %x = affine.load %m[%i] : memref<33xf32>
    %y = arith.mulf %x, %f : f32
    affine.store %y, %m[%i + 1] : memref<33xf32>
  }
  affine.for %i = 0 to 32 {
    %x = affine.load %m[32 - %i] : memref<33xf32>
    affine.store %x, %out[%i] : memref<32xf32>
  }
  return
}

// -----

// Both read one matrix: at the innermost place that both have.
// CHECK-LABEL: func.func @siblings
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-COUNT-4: affine.load
// CHECK-NOT: affine.for
func.func @siblings(%m: memref<8x8xf32>, %x: memref<8x8xf32> {offload.storage = "exclusive"}, %y: memref<8x8xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %m[%i, %j] : memref<8x8xf32>
      %b = affine.load %x[%i, %j] : memref<8x8xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %x[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %m[%i, %j] : memref<8x8xf32>
      %b = affine.load %y[%i, %j] : memref<8x8xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %y[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// -----

// Two buffers from outside may be one.
// CHECK-LABEL: func.func @perhaps_one
// CHECK: affine.for
// CHECK: affine.for
func.func @perhaps_one(%a: memref<33xf32>, %b: memref<33xf32>) {
  %m = memref.alloc() : memref<32xf32>
  affine.for %i = 0 to 32 {
    %x = affine.load %a[%i] : memref<33xf32>
    affine.store %x, %m[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 32 {
    %x = affine.load %m[%i] : memref<32xf32>
    affine.store %x, %b[%i + 1] : memref<33xf32>
  }
  return
}
