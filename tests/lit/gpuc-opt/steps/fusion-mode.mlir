// Which loops are fused is for `mode` to say: with the reader of what they write, with readers of what they read, or with both: loops that have
// nothing to do with each other stay as they are.
// RUN: gpuc-opt --affine-loop-fusion=mode=producer --canonicalize %s | FileCheck %s --check-prefix=PRODUCER
// RUN: gpuc-opt --affine-loop-fusion=mode=sibling --canonicalize %s | FileCheck %s --check-prefix=SIBLING
// RUN: gpuc-opt --affine-loop-fusion=mode=greedy --canonicalize %s | FileCheck %s --check-prefix=GREEDY
// RUN: not gpuc-opt --affine-loop-fusion=mode=eager %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: no mode of fusion is called 'eager'

// PRODUCER-LABEL: func.func @made
// PRODUCER-COUNT-1: affine.for
// PRODUCER-NOT: affine.for
// SIBLING-LABEL: func.func @made
// SIBLING-COUNT-2: affine.for
// GREEDY-LABEL: func.func @made
// GREEDY-COUNT-1: affine.for
// GREEDY-NOT: affine.for
func.func @made(%n: index, %f: f32, %a: memref<?xf32> {offload.storage = "exclusive"},
                %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  return
}

// PRODUCER-LABEL: func.func @read
// PRODUCER-COUNT-2: affine.for
// SIBLING-LABEL: func.func @read
// SIBLING-COUNT-1: affine.for
// SIBLING-NOT: affine.for
// GREEDY-LABEL: func.func @read
// GREEDY-COUNT-1: affine.for
// GREEDY-NOT: affine.for
func.func @read(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"},
                %c: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %c[%i] : memref<?xf32>
  }
  return
}

// PRODUCER-LABEL: func.func @apart
// PRODUCER-COUNT-2: affine.for
// SIBLING-LABEL: func.func @apart
// SIBLING-COUNT-2: affine.for
// GREEDY-LABEL: func.func @apart
// GREEDY-COUNT-2: affine.for
func.func @apart(%n: index, %f: f32, %a: memref<?xf32> {offload.storage = "exclusive"},
                 %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    affine.store %f, %b[%i] : memref<?xf32>
  }
  return
}
