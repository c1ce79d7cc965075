// Values between parts of an iteration get an element for each, where one part waits and the other has a loop in it.
// RUN: gpuc-opt --split-input-file --affine-expand --canonicalize %s | FileCheck %s
// RUN: gpuc-opt --split-input-file --affine-expand=explain=true --remarks %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @out
// CHECK: %[[OWN:.*]] = gpu.alloc (%{{.*}}) {offload.name = "value kept"} : memref<?xi32>
// CHECK: affine.for %[[I:.*]] = 1 to %arg0
// CHECK: %[[SUM:.*]] = affine.for
// CHECK: affine.store %[[SUM]], %[[VIEW:.*]][%[[I]] - 1] : memref<?xi32>
// CHECK: %[[KEPT:.*]] = affine.load %[[VIEW]][%[[I]] - 1] : memref<?xi32>
// CHECK: arith.addi %{{.*}}, %[[KEPT]]
// CHECK: gpu.dealloc %[[OWN]]
// REMARK: A value is kept for each iteration, so that what needs them can be a loop of its own
func.func @out(%n: index, %a: memref<?x?xi32> {offload.storage = "exclusive"},
               %y: memref<?xi32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0 : i32
  offload.region kernels {
    affine.for %i = 1 to %n {
      %sum = affine.for %j = 0 to %n iter_args(%so_far = %zero) -> (i32) {
        %0 = affine.load %a[%i, %j] : memref<?x?xi32>
        %1 = arith.addi %so_far, %0 : i32
        affine.yield %1 : i32
      }
      %before = affine.load %y[%i - 1] : memref<?xi32>
      %now = arith.addi %before, %sum : i32
      affine.store %now, %y[%i] : memref<?xi32>
    }
  }
  return
}

// -----

// The sum needs what the recurrence has made.
// CHECK-LABEL: func.func @circle
// CHECK-NOT: gpu.alloc
func.func @circle(%n: index, %a: memref<?x?xi32> {offload.storage = "exclusive"},
                  %y: memref<?xi32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0 : i32
  offload.region kernels {
    affine.for %i = 1 to %n {
      %sum = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%so_far = %zero) -> (i32) {
        %0 = affine.load %a[%i, %j] : memref<?x?xi32>
        %1 = affine.load %y[%j] : memref<?xi32>
        %2 = arith.muli %0, %1 : i32
        %3 = arith.addi %so_far, %2 : i32
        affine.yield %3 : i32
      }
      affine.store %sum, %y[%i] : memref<?xi32>
    }
  }
  return
}

// -----

// What can be computed again is not kept: a recurrence that reads another array.
// CHECK-LABEL: func.func @again
// CHECK-NOT: gpu.alloc
func.func @again(%n: index, %a: memref<?x?xi32> {offload.storage = "exclusive"}, %x: memref<?xi32> {offload.storage = "exclusive"},
                 %y: memref<?xi32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 1 to %n {
      %0 = affine.load %x[%i] : memref<?xi32>
      affine.for %j = 0 to %n {
        affine.store %0, %a[%i, %j] : memref<?x?xi32>
      }
      %before = affine.load %y[%i - 1] : memref<?xi32>
      %now = arith.addi %before, %0 : i32
      affine.store %now, %y[%i] : memref<?xi32>
    }
  }
  return
}

// -----

// The loop outside has threads enough, and one array would be in the way of all of them.
// CHECK-LABEL: func.func @outside
// CHECK-NOT: gpu.alloc
func.func @outside(%n: index, %a: memref<?x?xi32> {offload.storage = "exclusive"},
                   %y: memref<?x?xi32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0 : i32
  offload.region kernels {
    affine.for %p = 0 to %n {
      affine.for %i = 1 to %n {
        %sum = affine.for %j = 0 to %n iter_args(%so_far = %zero) -> (i32) {
          %0 = affine.load %a[%i, %j] : memref<?x?xi32>
          %1 = arith.addi %so_far, %0 : i32
          affine.yield %1 : i32
        }
        %before = affine.load %y[%p, %i - 1] : memref<?x?xi32>
        %now = arith.addi %before, %sum : i32
        affine.store %now, %y[%p, %i] : memref<?x?xi32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @type
// CHECK-NOT: gpu.alloc
// REMARK: affine-expand: a value between its parts is of a type that memory does not hold
func.func @type(%n: index, %a: memref<?x?xi32> {offload.storage = "exclusive"},
                %y: memref<?xi32> {offload.storage = "exclusive"}) {
  %yes = arith.constant true
  %seven = arith.constant 7 : i32
  offload.region kernels {
    affine.for %i = 1 to %n {
      %all = affine.for %j = 0 to %n iter_args(%so_far = %yes) -> (i1) {
        %0 = affine.load %a[%i, %j] : memref<?x?xi32>
        %1 = arith.trunci %0 : i32 to i1
        %2 = arith.andi %so_far, %1 : i1
        affine.yield %2 : i1
      }
      %before = affine.load %y[%i - 1] : memref<?xi32>
      %now = arith.select %all, %before, %seven : i32
      affine.store %now, %y[%i] : memref<?xi32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @extent
// CHECK-NOT: gpu.alloc
// REMARK: affine-expand: the host cannot tell in front of the construct how many iterations it has
func.func @extent(%n: index, %sizes: memref<1xindex>, %a: memref<?x?xi32> {offload.storage = "exclusive"},
                  %y: memref<?xi32> {offload.storage = "exclusive"}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  offload.region kernels {
    %m = memref.load %sizes[%c0] : memref<1xindex>
    affine.for %i = 1 to %m {
      %sum = affine.for %j = 0 to %n iter_args(%so_far = %zero) -> (i32) {
        %0 = affine.load %a[%i, %j] : memref<?x?xi32>
        %1 = arith.addi %so_far, %0 : i32
        affine.yield %1 : i32
      }
      %before = affine.load %y[%i - 1] : memref<?xi32>
      %now = arith.addi %before, %sum : i32
      affine.store %now, %y[%i] : memref<?xi32>
    }
  }
  return
}
