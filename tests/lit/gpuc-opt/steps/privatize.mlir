// An array that every iteration overwrites gets an element for each, and what forbids it.
// RUN: gpuc-opt --split-input-file --affine-privatize --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-privatize=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @rows
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}) {offload.name = "sum"} : memref<?xf32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[OWN]] to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, 1]
// CHECK: affine.for %[[I:.*]] = 0 to %arg0 {
// CHECK: affine.store %arg3, %[[VIEW]][%[[I]], %{{.*}}]
// CHECK: affine.if
// CHECK: %[[LAST:.*]] = affine.load %[[VIEW]][symbol(%arg0) - 1, %[[K:[a-z0-9]+]]]
// CHECK-NEXT: affine.store %[[LAST]], %arg2[%[[K]]]
// CHECK: gpu.dealloc %[[OWN]]
// REMARK: Array sum privatized
func.func @rows(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        affine.store %f, %sum[%k] : memref<?xf32>
      }
      affine.for %k = 0 to %n {
        %0 = affine.load %sum[%k] : memref<?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// The element in front of the first one written is that of the iteration before.
// CHECK-LABEL: func.func @flow
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: sum is not overwritten by every iteration before it is read
// REMARK: dependence of sum from line {{[0-9]+}} to line {{[0-9]+}}, direction
func.func @flow(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 1 to %n {
        affine.store %f, %sum[%k] : memref<?xf32>
      }
      affine.for %k = 1 to %n {
        %0 = affine.load %sum[%k - 1] : memref<?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Written in some iterations only.
// CHECK-LABEL: func.func @conditional
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: sum is not overwritten by every iteration before it is read
func.func @conditional(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32, %c: i1) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      scf.if %c {
        affine.for %k = 0 to %n {
          affine.store %f, %sum[%k] : memref<?xf32>
        }
      }
      affine.for %k = 0 to %n {
        %0 = affine.load %sum[%k] : memref<?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Each iteration writes another part, and all of them are there in the end.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: sum is not overwritten by every iteration before it is read
func.func @parts(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0)>(%i) to %n {
        affine.store %f, %sum[%k] : memref<?xf32>
      }
      affine.for %k = affine_map<(d0) -> (d0)>(%i) to %n {
        %0 = affine.load %sum[%k] : memref<?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Nothing in the nest is as large as the copies would be.
// CHECK-LABEL: func.func @room
// CHECK-NOT: gpu.alloc
func.func @room(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        affine.store %f, %sum[%k] : memref<?xf32>
      }
      affine.for %k = 0 to %n {
        %0 = affine.load %sum[%k] : memref<?xf32>
        affine.store %0, %a[%i] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// The element is a product of variables: no affine subscript copies the last one back.
// CHECK-LABEL: func.func @product
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: subscripts of sum are products of variables, or no sums at all
func.func @product(%n: index, %i: index, %w: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                   %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}) {
  offload.region kernels {
    %place = arith.muli %i, %w : index
    affine.for %k = 0 to %n {
      %0 = affine.load %a[%k, %k] : memref<?x?xf32>
      affine.store %0, %sum[symbol(%place)] : memref<?xf32>
    }
  }
  return
}

// -----

// An iteration reads what the one before has left, and then overwrites it.
// CHECK-LABEL: func.func @before
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: sum is read by an iteration before it is overwritten
// REMARK-NEXT: dependence of sum from line {{[0-9]+}} to line {{[0-9]+}}, direction (<
func.func @before(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                  %sum: memref<?xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %sum[%k] : memref<?xf32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
      }
      affine.for %k = 0 to %n {
        affine.store %f, %sum[%k] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// So with a scalar, which hands a value from each iteration to the next.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: gpu.alloc
// REMARK: affine-privatize: s is read by an iteration before it is overwritten
// REMARK-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<
func.func @scalar(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                  %s: memref<f32> {offload.storage = "exclusive", offload.name = "s"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %s[] : memref<f32>
        affine.store %0, %a[%i, %k] : memref<?x?xf32>
        %1 = affine.load %a[%k, %i] : memref<?x?xf32>
        affine.store %1, %s[] : memref<f32>
      }
    }
  }
  return
}
