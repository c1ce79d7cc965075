// What a nest reads of an array as it was before goes to a copy, where nothing else holds the nest up.
// RUN: gpuc-opt --split-input-file --affine-snapshot --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-snapshot=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @shift
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}) {offload.name = "a"} : memref<?xf32>
// CHECK: affine.for %[[E:.*]] = 1 to
// CHECK: %[[OLD:.*]] = affine.load %arg1[%[[E]]]
// CHECK: affine.store %[[OLD]], %[[VIEW:.*]][%[[E]] - 1]
// CHECK: affine.for %[[I:.*]] = 0 to %arg0
// CHECK: affine.load %[[VIEW]][%[[I]]] : memref<?xf32>
// CHECK: affine.store %{{.*}}, %arg1[%[[I]]]
// CHECK: gpu.dealloc %[[OWN]]
// REMARK: Array a copied, for what reads it as it was before this loop
func.func @shift(%n: index, %a: memref<?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %0 = affine.load %a[%i + 1] : memref<?xf32>
      affine.store %0, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// In each step of a loop over time: a step reads what the one before has written.
// CHECK-LABEL: func.func @steps
// CHECK: affine.for
// CHECK: affine.for %{{.*}} = 1 to
// CHECK: affine.for %{{.*}} = 0 to
func.func @steps(%n: index, %t: index, %a: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %s = 0 to %t {
      affine.for %i = 0 to %n {
        %0 = affine.load %a[%i + 1] : memref<?xf32>
        affine.store %0, %a[%i] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// Of reads ahead and behind, the one behind gets what the nest has written.
// CHECK-LABEL: func.func @handed_on
// CHECK-NOT: gpu.alloc
func.func @handed_on(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      %0 = affine.load %a[%i + 1] : memref<?xf32>
      %1 = affine.load %a[%i - 1] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Rows are parallel as they are, and each element would be copied to be read once.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: gpu.alloc
func.func @rows(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %a[%i, %j + 1] : memref<?x?xf32>
        affine.store %0, %a[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

// Columns of a product in place are parallel, and with a copy rows are too; an element is read for each row.
// CHECK-LABEL: func.func @product
// CHECK: gpu.alloc (%{{.*}}) {offload.name = "b"}
func.func @product(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive"},
                   %b: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "b"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
          %0 = affine.load %b[%i, %j] : memref<?x?xf32>
          %1 = affine.load %a[%i, %k] : memref<?x?xf32>
          %2 = affine.load %b[%k, %j] : memref<?x?xf32>
          %3 = arith.mulf %1, %2 : f32
          %4 = arith.addf %0, %3 : f32
          affine.store %4, %b[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @sparse
// CHECK-NOT: gpu.alloc
// REMARK: affine-snapshot: what it reads of a is no box of elements
func.func @sparse(%n: index, %a: memref<?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %0 = affine.load %a[%i * 2 + 2] : memref<?xf32>
      affine.store %0, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @extent
// CHECK-NOT: gpu.alloc
// REMARK: affine-snapshot: the host cannot tell how many elements the copy of a has
func.func @extent(%sizes: memref<1xindex>, %a: memref<?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  %c0 = arith.constant 0 : index
  offload.region kernels {
    %m = memref.load %sizes[%c0] : memref<1xindex>
    affine.for %i = 0 to %m {
      %0 = affine.load %a[%i + 1] : memref<?xf32>
      affine.store %0, %a[%i] : memref<?xf32>
    }
  }
  return
}
