// A loop for each group of statements that do not depend on each other in a circle.
// RUN: gpuc-opt --split-input-file --affine-loop-distribute --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-loop-distribute --canonicalize --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// Two products that share the innermost loop.
// CHECK-LABEL: func.func @bicg
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg2[%[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg3[%[[I]]]
func.func @bicg(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %s: memref<?xf32> {offload.storage = "exclusive"},
                %q: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %0 = affine.load %s[%j] : memref<?xf32>
      %1 = arith.addf %0, %x : f32
      affine.store %1, %s[%j] : memref<?xf32>
      %2 = affine.load %q[%i] : memref<?xf32>
      %3 = arith.addf %2, %x : f32
      affine.store %3, %q[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// What reads the element after next goes in front of what writes it.
// CHECK-LABEL: func.func @backwards
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg1
func.func @backwards(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                     %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
    %x = affine.load %a[%i + 2] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-distribute: its statements depend on each other in a circle
// REMARK: flow dependence of b from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @flow(%n: index, %a: memref<?xf32> {offload.name = "a", offload.storage = "exclusive"},
                %b: memref<?xf32> {offload.name = "b", offload.storage = "exclusive"}) {
  affine.for %i = 1 to %n {
    %x = affine.load %b[%i - 1] : memref<?xf32>
    affine.store %x, %a[%i] : memref<?xf32>
    %y = affine.load %a[%i] : memref<?xf32>
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-distribute: its statements depend on each other in a circle
// REMARK: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @anti(%n: index, %a: memref<?xf32> {offload.name = "a", offload.storage = "exclusive"},
                %b: memref<?xf32> {offload.name = "b", offload.storage = "exclusive"}) {
  affine.for %i = 1 to %n {
    %y = affine.load %b[%i] : memref<?xf32>
    affine.store %y, %a[%i] : memref<?xf32>
    %x = affine.load %a[%i + 1] : memref<?xf32>
    %z = affine.load %a[%i] : memref<?xf32>
    %w = arith.addf %x, %z : f32
    affine.store %w, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// REMARK: affine-loop-distribute: its statements depend on each other in a circle
// REMARK: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @output(%n: index, %a: memref<?xindex> {offload.name = "a", offload.storage = "exclusive"}, %zero: index) {
  affine.for %i = 1 to %n {
    affine.store %i, %a[0] : memref<?xindex>
    affine.store %zero, %a[0] : memref<?xindex>
  }
  return
}

// -----

// REMARK: affine-loop-distribute: the effects of 'func.call' are not known
func.func private @f()
func.func @unknown(%n: index, %a: memref<?xf32>, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
    func.call @f() : () -> ()
  }
  return
}

// -----

// REMARK: affine-loop-distribute: it has one statement only
func.func @one(%n: index, %a: memref<?xf32>, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// A scalar on the way from one statement to the other: the next iteration writes over it.
// REMARK: affine-loop-distribute: its statements depend on each other in a circle
// REMARK-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @scalar(%n: index, %s: memref<f32> {offload.name = "s", offload.storage = "exclusive"},
                  %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %s[] : memref<f32>
    %y = affine.load %s[] : memref<f32>
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// A value on the way: what uses it is one statement with what computes it.
// REMARK: affine-loop-distribute: it has one statement only
func.func @value(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %a[%i] : memref<?xf32>
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// Each statement waits for the other one only in the loop outside: within one sweep they are apart, the sweeps are not.
// REMARK: affine-loop-distribute: its statements depend on each other in a circle
// REMARK-NEXT: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, =)
func.func @sweeps(%n: index, %a: memref<?xf32> {offload.name = "a", offload.storage = "exclusive"},
                  %b: memref<?xf32> {offload.name = "b", offload.storage = "exclusive"}) {
  affine.for %t = 0 to %n {
    affine.for %i = 0 to %n {
      %x = affine.load %a[%i] : memref<?xf32>
      affine.store %x, %b[%i] : memref<?xf32>
      %y = affine.load %b[%i] : memref<?xf32>
      affine.store %y, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Flow and anti within one iteration forbid nothing: loops in the statements' order.
// CHECK-LABEL: func.func @within
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg2
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %arg1
func.func @within(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
    %y = affine.load %b[%i] : memref<?xf32>
    affine.store %y, %a[%i] : memref<?xf32>
  }
  return
}
