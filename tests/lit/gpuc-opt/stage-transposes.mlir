// What goes through memory of the block, and what must not.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(stage-transposes{arch=sm_90}),canonicalize,cse)' --split-input-file %s | FileCheck %s
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(stage-transposes{arch=sm_90 side=16}),canonicalize,cse)' --split-input-file %s | FileCheck %s --check-prefix=SMALL
// RUN: not gpuc-opt --stage-transposes=side=12 %s 2>&1 | FileCheck %s --check-prefix=SIDE
// SIDE: error: no squares have a side of 12

// Read by columns; the edge of the square is asked for, whole squares are not.
// CHECK-LABEL: func.func @loaded
// CHECK: %[[TILE:.*]] = memref.alloca() : memref<32x33xf64, #gpu.address_space<workgroup>>
// CHECK: affine.if
// CHECK: affine.store %{{.*}}, %[[TILE]][%{{.*}}, %{{.*}}] : memref<32x33xf64, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: affine.load %[[TILE]][%{{.*}}, %{{.*}}] : memref<32x33xf64, #gpu.address_space<workgroup>>
// CHECK: } else {
// CHECK: affine.min
// CHECK: gpu.barrier
// CHECK: affine.if
// SMALL-LABEL: func.func @loaded
// SMALL: affine.parallel {{.*}} step (16, 16)
// SMALL: memref.alloca() : memref<16x17xf64, #gpu.address_space<workgroup>>
// SMALL: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (16, 16) {
func.func @loaded(%a: memref<200x200xf64> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %b: memref<200x200xf64> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 200) {
      %x = affine.load %a[%j, %i] : memref<200x200xf64>
      affine.store %x, %b[%i, %j] : memref<200x200xf64>
    } {offload.schedule = []}
  }
  return
}

// -----

// Both across: another order of the loops is what that wants.
// CHECK-LABEL: func.func @both
// CHECK-NOT: workgroup
func.func @both(%a: memref<200x200xf64> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                %b: memref<200x200xf64> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 200) {
      %x = affine.load %a[%j, %i] : memref<200x200xf64>
      affine.store %x, %b[%j, %i] : memref<200x200xf64>
    } {offload.schedule = []}
  }
  return
}

// -----

// What another iteration of the block writes must be found as it was.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: workgroup
func.func @in_place(%a: memref<200x200xf64> {offload.name = "a", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 100) {
      %x = affine.load %a[%j, %i] : memref<200x200xf64>
      affine.store %x, %a[%i + 100, %j + 100] : memref<200x200xf64>
    } {offload.schedule = []}
  }
  return
}

// -----

// Pointers that may mean one memory: the host asks.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[APART:.*]] = offload.disjoint
// CHECK: scf.if %[[APART]]
// CHECK: workgroup
// CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (100, 100) {
// CHECK-NOT: workgroup
func.func @pointers(%a: memref<?x200xf64> {offload.name = "a", offload.map = "copyin"},
                    %b: memref<?x200xf64> {offload.name = "b", offload.map = "copyout"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 100) {
      %x = affine.load %a[%j, %i] : memref<?x200xf64>
      affine.store %x, %b[%i, %j] : memref<?x200xf64>
    } {offload.schedule = []}
  }
  return
}

// -----

// Too few iterations for a square, known now: nothing changes. A mapping that was given stays.
// CHECK-LABEL: func.func @small
// CHECK-NOT: workgroup
// CHECK-LABEL: func.func @mapped
// CHECK-NOT: workgroup
func.func @small(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                 %b: memref<200x200xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (31, 200) {
      %x = affine.load %a[%j, %i] : memref<200x200xf32>
      affine.store %x, %b[%i, %j] : memref<200x200xf32>
    } {offload.schedule = []}
  }
  return
}
func.func @mapped(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %b: memref<200x200xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 200) {
      %x = affine.load %a[%j, %i] : memref<200x200xf32>
      affine.store %x, %b[%i, %j] : memref<200x200xf32>
    } {mapping = [#offload.map<block_y * thread_y(4)>, #offload.map<block_x * thread_x(32)>]}
  }
  return
}

// -----

// Stored to planes of one array that never meet: each has its square.
// CHECK-LABEL: func.func @planes
// CHECK-COUNT-2: memref.alloca() : memref<32x33xf32, #gpu.address_space<workgroup>>
func.func @planes(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %b: memref<2x200x200xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 200) {
      %x = affine.load %a[%i, %j] : memref<200x200xf32>
      affine.store %x, %b[0, %j, %i] : memref<2x200x200xf32>
      affine.store %x, %b[1, %j, %i] : memref<2x200x200xf32>
    } {offload.schedule = []}
  }
  return
}

// -----

// One apart along the loops, another iteration's element is the same.
// CHECK-LABEL: func.func @meeting
// CHECK-NOT: workgroup
func.func @meeting(%a: memref<200x200xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %b: memref<200x200xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (100, 199) {
      %x = affine.load %a[%i, %j] : memref<200x200xf32>
      affine.store %x, %b[%j, %i] : memref<200x200xf32>
      affine.store %x, %b[%j + 1, %i] : memref<200x200xf32>
    } {offload.schedule = []}
  }
  return
}
