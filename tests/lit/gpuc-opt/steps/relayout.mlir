// An array lies in memory as a nest touches it while it runs, and what forbids it.
// RUN: gpuc-opt --split-input-file --affine-relayout='array=a last=0 factors=2' --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-relayout='array=a last=0 factors=2' --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// What is touched is a box, and is copied as one; the two rows at the rim are not copied back.
// CHECK-LABEL: func.func @square
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}) {offload.name = "a"} : memref<?xf32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[OWN]] to offset: [0], sizes: [%{{.*}}, %[[ROWS:.*]]], strides: [%[[ROWS]], 1]
// CHECK: affine.if
// CHECK: affine.for %[[I:.*]] = 0 to %{{.*}} {
// CHECK: affine.for %[[J:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: %[[IN:.*]] = affine.load %[[A:.*]][%[[I]], %[[J]]]
// CHECK-NEXT: affine.store %[[IN]], %[[VIEW]][%[[I]] * 2 + %[[J]], %[[I]]]
// CHECK: affine.for
// CHECK: affine.load %[[VIEW]][%[[R:.*]] * 2 + %[[C:.*]] - 3, %[[R]] - 1]
// CHECK: affine.store %{{.*}}, %[[VIEW]][%[[R]] * 2 + %[[C]], %[[R]]]
// CHECK: affine.if
// CHECK: affine.for %[[I:.*]] = 1 to
// CHECK: affine.for %[[J:.*]] = 1 to
// CHECK-NEXT: %[[OUT:.*]] = affine.load %[[VIEW]][%[[I]] * 2 + %[[J]], %[[I]]]
// CHECK-NEXT: affine.store %[[OUT]], %[[A]][%[[I]], %[[J]]]
// CHECK: gpu.dealloc %[[OWN]]
// REMARK: Array a laid out as (2*d0 + d1, d0) while the nest runs, so that neighbouring threads touch neighbouring elements
func.func @square(%steps: index, %n: index,
                  %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %t = 0 to %steps {
      affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
          %0 = affine.load %a[%i - 1, %j - 1] : memref<?x?xf32>
          %1 = affine.load %a[%i - 1, %j] : memref<?x?xf32>
          %2 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf32>
          %3 = affine.load %a[%i, %j - 1] : memref<?x?xf32>
          %4 = affine.load %a[%i, %j] : memref<?x?xf32>
          %5 = affine.load %a[%i, %j + 1] : memref<?x?xf32>
          %6 = affine.load %a[%i + 1, %j - 1] : memref<?x?xf32>
          %7 = affine.load %a[%i + 1, %j] : memref<?x?xf32>
          %8 = affine.load %a[%i + 1, %j + 1] : memref<?x?xf32>
          %x = arith.addf %0, %1 : f32
          %y = arith.addf %2, %3 : f32
          %z = arith.addf %4, %5 : f32
          %u = arith.addf %6, %7 : f32
          %v = arith.addf %x, %y : f32
          %w = arith.addf %z, %u : f32
          %p = arith.addf %v, %w : f32
          %q = arith.addf %p, %8 : f32
          affine.store %q, %a[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @rank
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: a has 1 dimensions, and the layout 2
func.func @rank(%n: index, %a: memref<?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.store %f, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// What is done under a condition may not be done at all.
// CHECK-LABEL: func.func @condition
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: not all loops of the nest are round each access to a, and nothing else is
func.func @condition(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
          affine.store %f, %a[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @imperfect
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: not all loops of the nest are round each access to a, and nothing else is
func.func @imperfect(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.store %f, %a[%i, 0] : memref<?x?xf32>
      affine.for %j = 1 to %n {
        affine.store %f, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @triangle
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: bounds of its loops depend on each other, or have no closed form
func.func @triangle(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
        affine.store %f, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @twice
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: a subscript of a is not a loop's variable and a number
func.func @twice(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.store %f, %a[%i, %j * 2] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @transposed
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: subscripts of a are of different loops in different accesses
func.func @transposed(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %a[%j, %i] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: subscripts of a are of different loops in different accesses
func.func @diagonal(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.store %f, %a[%i, %i] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Elements far from each other: each would be a copy of its own.
// CHECK-LABEL: func.func @scattered
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: the elements of a that are touched stand in too many boxes
func.func @scattered(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %i = 8 to %n {
      affine.for %j = 8 to %n {
        %0 = affine.load %a[%i - 2, %j] : memref<?x?xf32>
        %1 = affine.load %a[%i - 4, %j - 2] : memref<?x?xf32>
        %2 = affine.load %a[%i - 6, %j - 4] : memref<?x?xf32>
        %3 = affine.load %a[%i - 8, %j - 6] : memref<?x?xf32>
        %4 = affine.load %a[%i - 8, %j - 8] : memref<?x?xf32>
        %x = arith.addf %0, %1 : f32
        %y = arith.addf %2, %3 : f32
        %z = arith.addf %x, %y : f32
        %w = arith.addf %z, %4 : f32
        affine.store %w, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Memory that others may reach in another way.
// CHECK-LABEL: func.func @alias
// CHECK-NOT: gpu.alloc
// REMARK: affine-relayout: {{.*}} may be the memory of a
func.func @alias(%n: index, %a: memref<?x?xf32> {offload.name = "a"}, %b: memref<?x?xf32>) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %b[%i, %j] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Pointers that are mapped are taken to point to different memory, which is tested.
// CHECK-LABEL: func.func @tested
// CHECK: gpu.alloc
// CHECK: scf.if
func.func @tested(%n: index, %a: memref<?x?xf32> {offload.map = "copy", offload.name = "a"},
                  %b: memref<?x?xf32> {offload.map = "copy", offload.name = "b"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %b[%i, %j] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
