// Rows of a matrix, each shared by lanes: which plan for which sizes, and what becomes of lanes further down.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-reductions{arch=sm_90}),canonicalize,cse)' --remarks %s 2>&1 | FileCheck %s
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-reductions{arch=sm_90 associative=false}),canonicalize,cse)' %s | FileCheck %s --check-prefix=ORDER
// RUN: gpuc-opt --spread-reductions=width=8 --gpuc-parallel --gpuc-lower %s | FileCheck %s --check-prefix=THREAD
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(spread-reductions{width=12}))' %s 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: 12 threads cannot share a row
// WIDTH: widths are powers of two

// Where the host knows the sizes, it chooses.
// CHECK-LABEL: func.func @rows
// CHECK: scf.if
// CHECK: affine.parallel
// CHECK: affine.parallel {{.*}} reduce ("addf") -> (f32) {
// CHECK: } {mapping = [#offload.map<thread_x(256), strided>]}
// CHECK: } {mapping = [#offload.map<block_x>]}
// CHECK: scf.if
// CHECK: } {mapping = [#offload.map<thread_x(32), strided>]}
// CHECK: affine.store
// CHECK: } {mapping = [#offload.map<block_x * thread_y(4)>]}
// CHECK: scf.if
// CHECK: } {mapping = [#offload.map<thread_x(8), strided>]}
// CHECK: } {mapping = [#offload.map<block_x * thread_y(16)>]}
// CHECK: affine.for
// CHECK: } {offload.schedule = []}
// ORDER-LABEL: func.func @rows
// ORDER-NOT: mapping
// ORDER: affine.for

// A row of eight lanes combines by shuffles among themselves, and the first one stores.
// THREAD-LABEL: gpu.func @rows_kernel
// THREAD-SAME: known_block_size = array<i32: 8, 16, 1>
// THREAD: gpu.shuffle xor %{{.*}}, %c4_i32, %c8_i32 : f32
// THREAD: gpu.shuffle xor %{{.*}}, %c2_i32, %c8_i32 : f32
// THREAD: gpu.shuffle xor %{{.*}}, %c1_i32, %c8_i32 : f32
// THREAD-NOT: gpu.barrier
// THREAD-NOT: nvvm.bar.warp.sync
// THREAD: cf.cond_br
// THREAD: ptr.store
func.func @rows(%m: index, %n: index,
                %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                %y: memref<?xf32> {offload.name = "y", offload.map = "copyout", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i) = (0) to (symbol(%m)) {
      %sum = affine.for %j = 0 to %n iter_args(%s = %zero) -> (f32) {
        %v = affine.load %a[%i, %j] : memref<?x?xf32>
        %t = arith.addf %s, %v : f32
        affine.yield %t : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    } {offload.schedule = []}
  }
  return
}

// Sizes that are known are decided while compiling: long rows, a few of them.
// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.if
// CHECK: } {mapping = [#offload.map<thread_x(256), strided>]}
// CHECK-NOT: offload.schedule
// CHECK-LABEL: func.func @short
func.func @few(%a: memref<100x5000xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
               %y: memref<100xf32> {offload.name = "y", offload.map = "copyout", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i) = (0) to (100) {
      %sum = affine.for %j = 0 to 5000 iter_args(%s = %zero) -> (f32) {
        %v = affine.load %a[%i, %j] : memref<100x5000xf32>
        %t = arith.addf %s, %v : f32
        affine.yield %t : f32
      }
      affine.store %sum, %y[%i] : memref<100xf32>
    } {offload.schedule = []}
  }
  return
}

// Rows of three elements stay a thread's.
// CHECK-NOT: mapping
// CHECK: affine.for
// CHECK-LABEL: func.func @columns
func.func @short(%a: memref<100x3xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                 %y: memref<100xf32> {offload.name = "y", offload.map = "copyout", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i) = (0) to (100) {
      %sum = affine.for %j = 0 to 3 iter_args(%s = %zero) -> (f32) {
        %v = affine.load %a[%i, %j] : memref<100x3xf32>
        %t = arith.addf %s, %v : f32
        affine.yield %t : f32
      }
      affine.store %sum, %y[%i] : memref<100xf32>
    } {offload.schedule = []}
  }
  return
}

// Columns that lie side by side are read whole by a thread each, as long as there are many.
// CHECK-NOT: mapping
// CHECK: affine.for
func.func @columns(%a: memref<100x900000xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %y: memref<900000xf32> {offload.name = "y", offload.map = "copyout", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i) = (0) to (900000) {
      %sum = affine.for %j = 0 to 100 iter_args(%s = %zero) -> (f32) {
        %v = affine.load %a[%j, %i] : memref<100x900000xf32>
        %t = arith.addf %s, %v : f32
        affine.yield %t : f32
      }
      affine.store %sum, %y[%i] : memref<900000xf32>
    } {offload.schedule = []}
  }
  return
}
