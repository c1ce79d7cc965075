// Loops of the same bounds that follow each other become one.
// RUN: gpuc-opt --split-input-file --affine-loop-fusion --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-loop-fusion --canonicalize --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @fused
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]]]
// CHECK: affine.for
// CHECK: affine.store
// CHECK-NOT: affine.for
// CHECK: return
func.func @fused(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                 %b: memref<?x?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i] : memref<?xf32>
      affine.store %x, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// What stands between the loops is computed in front of the one that they become.
// CHECK-LABEL: func.func @between
// CHECK: %[[FROM:.*]] = arith.muli
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg2[%[[I]]]
// CHECK: affine.store %{{.*}}, %arg3[%[[I]] + symbol(%[[FROM]])]
// CHECK-NOT: affine.for
// CHECK: return
func.func @between(%n: index, %k: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                   %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  %from = arith.muli %k, %k : index
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i + symbol(%from)] : memref<?xf32>
  }
  return
}

// -----

// The second loop reads what a later iteration of the first would write.
// REMARK: affine-loop-fusion: a dependence would be turned round
// REMARK: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, such as iterations
func.func @flow(%n: index, %a: memref<?xf32> {offload.name = "a", offload.storage = "exclusive"},
                %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i + 1] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-fusion: a dependence would be turned round
// REMARK: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, such as iterations
func.func @anti(%n: index, %a: memref<?xf32> {offload.name = "a", offload.storage = "exclusive"},
                %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %b[%i] : memref<?xf32>
    affine.store %x, %a[%i + 1] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-fusion: a dependence would be turned round
// REMARK: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, such as iterations
func.func @output(%n: index, %a: memref<?xf32> {offload.name = "a"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %a[%i + 3] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-fusion: the loops have different bounds
func.func @bounds(%n: index, %m: index, %a: memref<?xf32>, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %m {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %f : f32
    affine.store %y, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// The second loop reads the scalar that the last iteration of the first one leaves.
// REMARK: affine-loop-fusion: a dependence would be turned round
// REMARK-NEXT: flow dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, such as iterations (1) and (0)
func.func @scalar(%n: index, %s: memref<f32> {offload.name = "s", offload.storage = "exclusive"},
                  %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %s[] : memref<f32>
  }
  affine.for %i = 0 to %n {
    %y = affine.load %s[] : memref<f32>
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// It uses the value that the first one sums up.
// REMARK: affine-loop-fusion: the loop carries values, its bounds are not in closed form, or the program gives its order
func.func @value(%n: index, %z: f32, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> f32 {
    %x = affine.load %a[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    affine.yield %t : f32
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %r : f32
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// An element is read between the loops, and one is written.
// REMARK: [[@LINE+5]], affine-loop-fusion: what stands between the loops reads or writes memory
func.func @read_between(%n: index, %f: f32, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  %r = affine.load %a[5] : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %r, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// REMARK: [[@LINE+5]], affine-loop-fusion: what stands between the loops reads or writes memory
func.func @written_between(%n: index, %f: f32, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.store %f, %b[5] : memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %b[%i] : memref<?xf32>
    affine.store %x, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// Flow, anti and output between iterations of one number forbid nothing.
// CHECK-LABEL: func.func @within
// CHECK: affine.for
// CHECK-NOT: affine.for
// CHECK: return
func.func @within(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %b[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
    affine.store %x, %a[%i] : memref<?xf32>
  }
  return
}
