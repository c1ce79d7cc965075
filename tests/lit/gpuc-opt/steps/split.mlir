// Loops are cut at the one iteration that all that they carry goes through, and what forbids it.
// RUN: gpuc-opt --split-input-file --affine-split --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --begin-plan=arch=sm_90 --affine-split=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// Both loops of Floyd and Warshall's update: three times three parts, in their order.
// CHECK-LABEL: func.func @ways
// CHECK: affine.for %[[K:.*]] = 0 to %arg0 {
// CHECK: affine.for %{{.*}} = 0 to min #[[TO:.*]](%[[K]])[%arg0] {
// CHECK-NEXT: affine.for %{{.*}} = 0 to min #[[TO]](%[[K]])[%arg0] {
// CHECK: affine.for %{{.*}} = max #[[AT:.*]](%[[K]]) to min #[[NEXT:.*]](%[[K]])[%arg0] {
// CHECK: affine.for %{{.*}} = max #[[FROM:.*]](%[[K]]) to %arg0 {
// CHECK: affine.for %{{.*}} = max #[[AT]](%[[K]]) to min #[[NEXT]](%[[K]])[%arg0] {
// CHECK-COUNT-3: affine.for
// CHECK: affine.for %{{.*}} = max #[[FROM]](%[[K]]) to %arg0 {
// CHECK-COUNT-3: affine.for
// CHECK-NOT: affine.for
// REMARK: Loop split at @{{[0-9]+}}: what it carries goes through that iteration
// REMARK: Loop split at @{{[0-9]+}}: what it carries goes through that iteration
func.func @ways(%n: index, %p: memref<?x?xi32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %0 = affine.load %p[%i, %j] : memref<?x?xi32>
          %1 = affine.load %p[%i, %k] : memref<?x?xi32>
          %2 = affine.load %p[%k, %j] : memref<?x?xi32>
          %3 = arith.addi %1, %2 : i32
          %4 = arith.minsi %0, %3 : i32
          affine.store %4, %p[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}

// -----

// The first iteration has nothing in front of it.
// CHECK-LABEL: func.func @first
// CHECK: affine.for %{{.*}} = 0 to min #{{.*}}()[%arg0] {
// CHECK: affine.for %{{.*}} = 1 to %arg0 {
// CHECK-NOT: affine.for
// REMARK: Loop split at 0: what it carries goes through that iteration
func.func @first(%n: index, %x: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %0 = affine.load %x[%i] : memref<?xf32>
      %1 = affine.load %x[0] : memref<?xf32>
      %2 = arith.divf %0, %1 : f32
      affine.store %2, %x[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Each iteration needs the one before it.
// CHECK-LABEL: func.func @running
// CHECK: affine.for
// CHECK-NOT: affine.for
// REMARK: affine-split: a dependence that it carries goes through no one iteration
// REMARK: flow dependence of x from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @running(%n: index, %x: memref<?xf32> {offload.storage = "exclusive", offload.name = "x"}) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      %0 = affine.load %x[%i - 1] : memref<?xf32>
      affine.store %0, %x[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Two iterations are not one.
// CHECK-LABEL: func.func @two
// CHECK: affine.for
// CHECK-NOT: affine.for
// REMARK: affine-split: a dependence that it carries goes through no one iteration
func.func @two(%n: index, %x: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %0 = affine.load %x[7] : memref<?xf32>
      %1 = affine.load %x[9] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %x[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// An iteration that a loop inside tells is another one each time.
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-2: affine.for
// CHECK-NOT: affine.for
func.func @inside(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %a[%k, %k] : memref<?x?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// A loop of a few iterations stays whole.
// CHECK-LABEL: func.func @short
// CHECK: affine.for
// CHECK-NOT: affine.for
func.func @short(%x: memref<16xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to 16 {
      %0 = affine.load %x[0] : memref<16xf32>
      affine.store %0, %x[%i] : memref<16xf32>
    }
  }
  return
}

// -----

// Whether the pivot is an iteration at all is for the bounds to say.
// CHECK-DAG: #[[AT:.*]] = affine_map<(d0) -> (2, d0)>
// CHECK-DAG: #[[TO:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0)[s0] -> (s0, d0 + 1)>
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0) -> (2, d0 + 1)>
// CHECK-LABEL: func.func @line
// CHECK: affine.for %[[K:.*]] = 0 to
// CHECK-NEXT: affine.for %{{.*}} = 2 to min #[[TO]](%[[K]])[%{{.*}}] {
// CHECK: affine.for %{{.*}} = max #[[AT]](%[[K]]) to min #[[NEXT]](%[[K]])[%{{.*}}] {
// CHECK: affine.for %{{.*}} = max #[[FROM]](%[[K]]) to %{{.*}} {
// REMARK: Loop split at @{{[0-9]+}}: what it carries goes through that iteration
func.func @line(%n: index, %m: index, %x: memref<?xi32>) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 2 to %m {
        %0 = affine.load %x[%k] : memref<?xi32>
        %1 = affine.load %x[%i] : memref<?xi32>
        %2 = arith.addi %0, %1 : i32
        affine.store %2, %x[%i] : memref<?xi32>
      }
    }
  }
  return
}

// -----


// What is parallel in columns is left: they take no launch for each pivot.
// CHECK-LABEL: func.func @columns
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.for
func.func @columns(%n: index, %x: memref<?x?xi32>) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %0 = affine.load %x[%k, %j] : memref<?x?xi32>
          %1 = affine.load %x[%i, %j] : memref<?x?xi32>
          %2 = arith.addi %0, %1 : i32
          affine.store %2, %x[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}

// -----

// Each iteration reads what the next one overwrites.
// CHECK-LABEL: func.func @shifted
// CHECK: affine.for
// CHECK-NOT: affine.for
// REMARK: [[@LINE+4]], affine-split: a dependence that it carries goes through no one iteration
// REMARK-NEXT: anti dependence of x from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @shifted(%n: index, %x: memref<?xf32> {offload.storage = "exclusive", offload.name = "x"}) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      %0 = affine.load %x[%i + 1] : memref<?xf32>
      affine.store %0, %x[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// What an iteration writes, the third one behind it overwrites.
// CHECK-LABEL: func.func @overwritten
// CHECK: affine.for
// CHECK-NOT: affine.for
// REMARK: [[@LINE+4]], affine-split: a dependence that it carries goes through no one iteration
// REMARK-NEXT: output dependence of x from line {{[0-9]+}} to line {{[0-9]+}}, direction (<), such as iterations (1) and (4)
func.func @overwritten(%n: index, %x: memref<?xf32> {offload.storage = "exclusive", offload.name = "x"}, %f: f32, %g: f32) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      affine.store %f, %x[%i] : memref<?xf32>
      affine.store %g, %x[%i + 3] : memref<?xf32>
    }
  }
  return
}

// -----

// A scalar goes through all of them.
// CHECK-LABEL: func.func @scalar
// CHECK: affine.for
// CHECK-NOT: affine.for
// REMARK: [[@LINE+5]], affine-split: a dependence that it carries goes through no one iteration
// REMARK-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<)
func.func @scalar(%n: index, %s: memref<f32> {offload.storage = "exclusive", offload.name = "s"},
                  %x: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      %0 = affine.load %s[] : memref<f32>
      affine.store %0, %x[%i] : memref<?xf32>
      %1 = arith.mulf %0, %f : f32
      affine.store %1, %s[] : memref<f32>
    }
  }
  return
}
