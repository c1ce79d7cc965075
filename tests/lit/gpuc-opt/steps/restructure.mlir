// The order with the most parallelism; see docs/passes.md.
// RUN: gpuc-opt --split-input-file --restructure --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --restructure --canonicalize --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// A parallel loop goes outermost; what remains sequential keeps its order.
// CHECK-LABEL: func.func @trmm
// CHECK: affine.for %[[J:.*]] = 0 to %arg1 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to %arg0 {
// REMARK: Loop interchange produces reordered loop nest: {{[0-9]+,[0-9]+,[0-9]+}}
func.func @trmm(%m: index, %n: index, %b: memref<?x?xf32>) {
  offload.region kernels {
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
  }
  return
}

// -----

// One loop of two products becomes two, each with its own parallel loop outermost.
// CHECK-LABEL: func.func @bicg
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.store %{{.*}}, %arg3[%[[I]]]
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg3[%[[I]]]
// CHECK: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg2[%[[J]]]
// REMARK: Loop distributed: 2 new loops
func.func @bicg(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %s: memref<?xf32> {offload.storage = "exclusive"},
                %q: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.store %f, %q[%i] : memref<?xf32>
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
  }
  return
}

// -----

// Nothing is parallel but the elements of a wavefront.
// CHECK-LABEL: func.func @seidel
// CHECK: affine.for %[[S:.*]] = 3 to #{{.*}}()[%arg0] {
// CHECK-NEXT: affine.for %[[I:.*]] = max #{{.*}}(%[[S]])[%arg0] to min #{{.*}}(%[[S]])[%arg0] {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[I]] * -2 + %[[S]]]
// REMARK: Loop skewed by 2: the wavefront goes over lines
func.func @seidel(%n: index, %a: memref<?x?xf32>) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xf32>
        %1 = affine.load %a[%i, %j - 1] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Elimination row by row becomes elimination column by column, with all rows below at once.
// CHECK-LABEL: func.func @lu
// CHECK: affine.for %[[K:.*]] = 0 to
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[K]]) to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[K]]]
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[K]]) to #{{.*}}(%[[I]]) {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// REMARK: Loop interchange produces reordered loop nest: {{[0-9]+,[0-9]+,[0-9]+}}
func.func @lu(%n: index, %a: memref<?x?xf32>) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
        affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
          %0 = affine.load %a[%i, %k] : memref<?x?xf32>
          %1 = affine.load %a[%k, %j] : memref<?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %a[%i, %j] : memref<?x?xf32>
          %4 = arith.subf %3, %2 : f32
          affine.store %4, %a[%i, %j] : memref<?x?xf32>
        }
        %5 = affine.load %a[%j, %j] : memref<?x?xf32>
        %6 = affine.load %a[%i, %j] : memref<?x?xf32>
        %7 = arith.divf %6, %5 : f32
        affine.store %7, %a[%i, %j] : memref<?x?xf32>
      }
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
        affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
          %0 = affine.load %a[%i, %k] : memref<?x?xf32>
          %1 = affine.load %a[%k, %j] : memref<?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %a[%i, %j] : memref<?x?xf32>
          %4 = arith.subf %3, %2 : f32
          affine.store %4, %a[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// A time loop round parallel ones has all the parallelism that there is, and stays as it is.
// CHECK-LABEL: func.func @jacobi
// CHECK: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: affine.for %[[I:.*]] = 1 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg2[%[[I]]]
// CHECK: affine.for %[[I:.*]] = 1 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]]]
func.func @jacobi(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                  %b: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %t = 0 to 10 {
      affine.for %i = 1 to %n {
        %0 = affine.load %a[%i - 1] : memref<?xf32>
        %1 = affine.load %a[%i + 1] : memref<?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %b[%i] : memref<?xf32>
      }
      affine.for %i = 1 to %n {
        %0 = affine.load %b[%i] : memref<?xf32>
        affine.store %0, %a[%i] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// What the program gave levels or wants in order keeps its place; so do loops of `parallel` regions that it is silent about.
// CHECK-LABEL: func.func @asked
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg0 {
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
func.func @asked(%n: index, %a: memref<?x?xf32>) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %a[%i + 1, %j] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      } {offload.auto, offload.schedule = ["vector"]}
    }
  }
  offload.region parallel {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %a[%i + 1, %j] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %a[%i + 1, %j] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    } {offload.seq}
  }
  return
}

// -----

// A sweep in place again and again: one wavefront over all three loops, not one for each sweep.
// The array lies along it meanwhile.
// CHECK-LABEL: func.func @sweeps
// CHECK: gpu.alloc
// CHECK: affine.if
// CHECK: affine.for %{{.*}} = 3 to
// CHECK-NEXT: affine.for %{{.*}} =
// CHECK-NEXT: affine.for %[[I:.*]] =
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} - %{{.*}} * 4, %[[I]]]
// CHECK: affine.if
// CHECK: gpu.dealloc
// REMARK: Array {{.*}} laid out as (2*d0 + d1, d0)
// REMARK: Loop skewed by 4,2: the wavefront goes over lines
func.func @sweeps(%steps: index, %n: index, %a: memref<?x?xi32>) {
  offload.region kernels {
    affine.for %t = 0 to %steps {
      affine.for %i = 1 to %n {
        affine.for %j = 1 to %n {
          %0 = affine.load %a[%i - 1, %j + 1] : memref<?x?xi32>
          %1 = affine.load %a[%i, %j - 1] : memref<?x?xi32>
          %2 = affine.load %a[%i + 1, %j + 1] : memref<?x?xi32>
          %3 = arith.addi %0, %1 : i32
          %4 = arith.addi %3, %2 : i32
          affine.store %4, %a[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}

// -----

// A step of three sweeps is one of two launches: the first row of `a` is a row of its own, which there is room for in front
// of the others, and each statement keeps its iterations; the third sweep reads what its neighbours have written. The row
// lies among the others if there are any, which is asked in front of the region.
// CHECK: #[[ROW:.*]] = affine_set<(d0) : (d0 == 0)>
// CHECK: #[[BEHIND:.*]] = affine_set<(d0) : (d0 - 1 >= 0)>
// CHECK-LABEL: func.func @sweeps
// CHECK: %[[HOLDS:.*]] = arith.cmpi sge, %{{.*}}, %c0 : index
// CHECK: scf.if %[[HOLDS]] {
// CHECK: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to %arg1 {
// CHECK-NEXT: affine.if #[[ROW]](%[[I]]) {
// CHECK-NEXT: affine.store %arg4, %arg2[0, %[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: affine.if #[[BEHIND]](%[[I]]) {
// CHECK: affine.store %{{.*}}, %arg2[%[[I]], %[[J]]]
// CHECK: affine.for %[[K:.*]] = 1 to %arg0 {
// CHECK: affine.load %arg2[%[[K]] - 1, %{{.*}} - 1]
// CHECK: } else {
// REMARK: Loops fused: lines {{[0-9]+,[0-9]+}} are one nest of 2 loops if 1 <= m, tested at run time: two versions made
func.func @sweeps(%m: index {offload.name = "m"}, %n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                  %b: memref<?x?xf32> {offload.storage = "exclusive"}, %f: f32) {
  offload.region kernels {
    affine.for %t = 0 to 10 {
      affine.for %j = 0 to %n {
        affine.store %f, %a[0, %j] : memref<?x?xf32>
      }
      affine.for %i = 1 to %m {
        affine.for %j = 0 to %n {
          %x = affine.load %b[%i - 1, %j] : memref<?x?xf32>
          %y = affine.load %a[%i, %j] : memref<?x?xf32>
          %z = arith.addf %x, %y : f32
          affine.store %z, %a[%i, %j] : memref<?x?xf32>
        }
      }
      affine.for %i = 1 to %m {
        affine.for %j = 1 to %n {
          %x = affine.load %a[%i - 1, %j - 1] : memref<?x?xf32>
          affine.store %x, %b[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// Not fused: what is launched once, and sweeps over other numbers of rows.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: affine.for
// CHECK-NOT: affine.if
func.func @apart(%m: index, %n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                 %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %m {
      affine.store %f, %a[%i] : memref<?xf32>
    }
    affine.for %i = 0 to %m {
      affine.store %f, %b[%i] : memref<?xf32>
    }
    affine.for %t = 0 to 10 {
      affine.for %i = 0 to %m {
        %x = affine.load %a[%i] : memref<?xf32>
        %y = arith.addf %x, %f : f32
        affine.store %y, %a[%i] : memref<?xf32>
      }
      affine.for %i = 0 to %n {
        %x = affine.load %b[%i] : memref<?xf32>
        %y = arith.addf %x, %f : f32
        affine.store %y, %b[%i] : memref<?xf32>
      }
    } {offload.seq}
  }
  return
}

// -----

// A sum over rows for each column, and an update that needs it: the update has a grid of two dimensions by itself, and together lanes would go across rows.
// CHECK-LABEL: func.func @orthogonalise
// CHECK: affine.for %{{.*}} = 0 to
// CHECK: affine.for %[[J:.*]] =
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg2[%[[J]]]
// CHECK: affine.for %[[J:.*]] =
// CHECK-NEXT: affine.for %[[I:.*]] =
// CHECK: affine.store %{{.*}}, %arg1[%[[I]], %[[J]]]
func.func @orthogonalise(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %r: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        affine.for %i = 0 to %n {
          %0 = affine.load %a[%i, %k] : memref<?x?xf32>
          %1 = affine.load %a[%i, %j] : memref<?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %r[%j] : memref<?xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %r[%j] : memref<?xf32>
        }
        affine.for %i = 0 to %n {
          %0 = affine.load %a[%i, %k] : memref<?x?xf32>
          %1 = affine.load %r[%j] : memref<?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %a[%i, %j] : memref<?x?xf32>
          %4 = arith.subf %3, %2 : f32
          affine.store %4, %a[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// Rows of memory: lanes of one row share both, which is one launch.
// CHECK-LABEL: func.func @rows
// CHECK: affine.for %{{.*}} = 0 to
// CHECK: affine.for %[[J:.*]] =
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg2[%[[J]]]
// CHECK-NOT: affine.for %{{.*}} = #
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK: affine.store %{{.*}}, %arg1[%[[J]], %[[I]]]
func.func @rows(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %r: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        affine.for %i = 0 to %n {
          %0 = affine.load %a[%k, %i] : memref<?x?xf32>
          %1 = affine.load %a[%j, %i] : memref<?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %r[%j] : memref<?xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %r[%j] : memref<?xf32>
        }
        affine.for %i = 0 to %n {
          %0 = affine.load %a[%k, %i] : memref<?x?xf32>
          %1 = affine.load %r[%j] : memref<?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %a[%j, %i] : memref<?x?xf32>
          %4 = arith.subf %3, %2 : f32
          affine.store %4, %a[%j, %i] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// A product beside other things in a parallel loop over rows is a nest of its own: what is in front of it, and behind it.
// CHECK-LABEL: func.func @product_beside
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK-NEXT: affine.store %{{.*}}, %arg2[%[[I]], %[[I]]]
// CHECK: affine.for %[[I:.*]] = 0 to
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg2[%[[I]], %[[J]]]
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK: affine.store %{{.*}}, %arg3
// REMARK: Loop distributed: 3 new loops
func.func @product_beside(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}, %c: memref<?x?xf32> {offload.storage = "exclusive"},
                          %d: memref<?x?xf32> {offload.storage = "exclusive"}) {
  %one = arith.constant 1.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.store %one, %c[%i, %i] : memref<?x?xf32>
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
        affine.for %k = 0 to %n {
          %0 = affine.load %a[%k, %i] : memref<?x?xf32>
          %1 = affine.load %a[%k, %j] : memref<?x?xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %c[%i, %j] : memref<?x?xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %c[%i, %j] : memref<?x?xf32>
        }
      }
      affine.for %j = 0 to %n {
        %0 = affine.load %c[%i, %j] : memref<?x?xf32>
        affine.store %0, %d[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Products of small matrices for each of many stay where they are.
// CHECK-LABEL: func.func @small_products
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.for
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.for
func.func @small_products(%n: index, %a: memref<?x3x3xf32> {offload.storage = "exclusive"}, %c: memref<?x3x3xf32> {offload.storage = "exclusive"},
                          %d: memref<?x3x3xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %m = 0 to %n {
      affine.for %i = 0 to 3 {
        affine.for %j = 0 to 3 {
          affine.for %k = 0 to 3 {
            %0 = affine.load %a[%m, %i, %k] : memref<?x3x3xf32>
            %1 = affine.load %a[%m, %k, %j] : memref<?x3x3xf32>
            %2 = arith.mulf %0, %1 : f32
            %3 = affine.load %c[%m, %i, %j] : memref<?x3x3xf32>
            %4 = arith.addf %3, %2 : f32
            affine.store %4, %c[%m, %i, %j] : memref<?x3x3xf32>
          }
        }
      }
      affine.for %i = 0 to 3 {
        affine.for %j = 0 to 3 {
          %0 = affine.load %c[%m, %i, %j] : memref<?x3x3xf32>
          affine.store %0, %d[%m, %i, %j] : memref<?x3x3xf32>
        }
      }
    }
  }
  return
}
