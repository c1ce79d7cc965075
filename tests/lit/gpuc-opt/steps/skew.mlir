// The inner loop begins later in each iteration of the outer one; as a wavefront it becomes the outer one.
// RUN: gpuc-opt --split-input-file --affine-loop-skew --canonicalize %s | FileCheck %s --check-prefix=SKEW
// RUN: gpuc-opt --split-input-file --affine-loop-skew --canonicalize --remarks %s 2>&1 | FileCheck %s --check-prefix=SKEW-REMARK
// RUN: gpuc-opt --split-input-file --pass-pipeline='builtin.module(affine-loop-skew{wavefront=true},canonicalize)' %s | FileCheck %s --check-prefix=WAVE
// RUN: gpuc-opt --split-input-file --pass-pipeline='builtin.module(affine-loop-skew{wavefront=true},canonicalize)' --remarks %s 2>&1 | FileCheck %s --check-prefix=WAVE-REMARK

// SKEW: #[[TO:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>
// SKEW-LABEL: func.func @recurrence
// SKEW: affine.for %[[I:.*]] = 1 to %arg0 {
// SKEW-NEXT: affine.for %[[S:.*]] = #{{.*}}(%[[I]]) to #[[TO]](%[[I]])[%arg0] {
// SKEW: affine.store %{{.*}}, %arg1[%[[I]], -%[[I]] + %[[S]]]

// WAVE-LABEL: func.func @recurrence
// WAVE: affine.for %[[S:.*]] = 2 to #{{.*}}()[%arg0] {
// WAVE-NEXT: affine.for %[[I:.*]] = max #{{.*}}(%[[S]])[%arg0] to min #{{.*}}(%[[S]])[%arg0] {
// WAVE: affine.store %{{.*}}, %arg1[%[[I]], -%[[I]] + %[[S]]]
func.func @recurrence(%n: index, %a: memref<?x?xf32>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %x = affine.load %a[%i - 1, %j] : memref<?x?xf32>
      %y = affine.load %a[%i, %j - 1] : memref<?x?xf32>
      %z = arith.addf %x, %y : f32
      affine.store %z, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Two columns to the right in the row before: a wavefront needs a steeper skew.
// WAVE-REMARK: affine-loop-skew: a dependence would be turned round
// WAVE-REMARK: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >), such as iterations
func.func @steep(%n: index, %a: memref<?x?xf32> {offload.name = "a"}) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i - 1, %j + 2] : memref<?x?xf32>
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// SKEW-REMARK: affine-loop-skew: no loop stands directly in it
// WAVE-REMARK: affine-loop-skew: no loop stands directly in it
func.func @single(%n: index, %a: memref<?xf32>, %f: f32) {
  affine.for %i = 1 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  return
}
