// Another order of the loops of a perfect nest, and every dependence that forbids it.
// RUN: gpuc-opt --split-input-file --affine-loop-permute --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-loop-permute --canonicalize --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not gpuc-opt --split-input-file --affine-loop-permute=order=0-0 %s 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: '0-0' is no order of loops

// A triangle becomes the other triangle.
// CHECK: #[[ABOVE:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-LABEL: func.func @triangle
// CHECK: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to #[[ABOVE]](%[[J]]) {
// CHECK-NEXT: affine.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @triangle(%n: index, %a: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// A product in place: rows wait for rows, columns for nothing.
// CHECK-LABEL: func.func @trmm
// CHECK: affine.for %[[J:.*]] = 0 to %arg1 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to %arg0 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @trmm(%m: index, %n: index, %b: memref<?x?xf32>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
        %x = affine.load %b[%k, %j] : memref<?x?xf32>
        %y = affine.load %b[%i, %j] : memref<?x?xf32>
        %z = arith.addf %x, %y : f32
        affine.store %z, %b[%i, %j] : memref<?x?xf32>
      }
      %w = affine.load %b[%i, %j] : memref<?x?xf32>
      %v = arith.mulf %w, %w : f32
      affine.store %v, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// The element written one row up and one column to the right: a distance of -1.
// REMARK: affine-loop-permute: a dependence would be turned round
// REMARK: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >), such as iterations ({{[0-9]+}}, {{[0-9]+}}) and
func.func @flow(%n: index, %a: memref<?x?xf32> {offload.name = "a"}) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i - 1, %j + 1] : memref<?x?xf32>
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// REMARK: affine-loop-permute: a dependence would be turned round
// REMARK: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
func.func @anti(%n: index, %a: memref<?x?xf32> {offload.name = "a"}) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %x = affine.load %a[%i + 1, %j - 1] : memref<?x?xf32>
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// REMARK: affine-loop-permute: a dependence would be turned round
// REMARK: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
func.func @output(%n: index, %a: memref<?xindex> {offload.name = "a"}) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %i, %a[%i + %j] : memref<?xindex>
    }
  }
  return
}

// -----

// A subscript that is not understood is a dependence.
// REMARK: affine-loop-permute: a dependence would be turned round
// REMARK: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction
func.func @unknown(%n: index, %p: memref<?x?xindex>, %a: memref<?xindex> {offload.name = "a", offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %q = affine.load %p[%i, %j] : memref<?x?xindex>
      memref.store %i, %a[%q] : memref<?xindex>
    }
  }
  return
}

// -----

// So are two names that may mean one memory.
// REMARK: affine-loop-permute: a dependence would be turned round
// REMARK: assumed: the accesses are not understood
func.func @names(%n: index, %a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      affine.store %x, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// REMARK: affine-loop-permute: it is not 2 loops that stand directly in each other
// REMARK: distribute the outer loop first
func.func @imperfect(%n: index, %a: memref<?x?xf32>, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i, 0] : memref<?x?xf32>
    affine.for %j = 1 to %n {
      affine.store %f, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// REMARK: affine-loop-permute: the loop carries values, its bounds are not in closed form, or the program gives its order
func.func @carries(%n: index, %a: memref<?x?xf32>, %f: f32) -> f32 {
  %r = affine.for %i = 0 to %n iter_args(%s = %f) -> f32 {
    affine.for %j = 0 to %n {
      affine.store %s, %a[%i, %j] : memref<?x?xf32>
    }
    %t = arith.addf %s, %s : f32
    affine.yield %t : f32
  }
  return %r : f32
}
