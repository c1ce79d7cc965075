// RUN: gpuc-opt %s --lower-affine --split-input-file --verify-diagnostics | FileCheck %s

// Transfers become those of `memref`, with their subscripts as values.

// CHECK-LABEL: func.func @copy
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[FROM:.*]] = arith.addi %[[I]], %[[C7]] : index
// CHECK: memref.dma_start %arg0[%[[FROM]]], %arg1[%{{.*}}], %arg3, %arg2[%{{.*}}] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
// CHECK: memref.dma_wait %arg2[%{{.*}}], %arg3 : memref<1xi32>
func.func @copy(%a: memref<64xf32>, %t: memref<64xf32, 1>, %tag: memref<1xi32>, %n: index) {
  affine.for %i = 0 to 10 {
    affine.dma_start %a[%i + 7], %t[0], %tag[0], %n : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
    affine.dma_wait %tag[0], %n : memref<1xi32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @strides
// CHECK: memref.dma_start %arg0[%arg3], %arg1[%arg3], %arg3, %arg2[], %arg4, %arg5 : memref<64xf32>, memref<64xf32, 1>, memref<i32>
func.func @strides(%a: memref<64xf32>, %t: memref<64xf32, 1>, %tag: memref<i32>, %n: index, %s: index, %m: index) {
  memref.dma_start %a[%n], %t[%n], %n, %tag[], %s, %m : memref<64xf32>, memref<64xf32, 1>, memref<i32>
  return
}

// -----

func.func @too_few(%a: memref<64xf32>, %n: index) {
  // expected-error@+1 {{'memref.dma_start' op expected at least 5 operands}}
  "memref.dma_start"(%a, %n, %a, %n) : (memref<64xf32>, index, memref<64xf32>, index) -> ()
  return
}

// -----

func.func @no_buffer(%a: memref<64xf32>, %x: f32, %n: index) {
  // expected-error@+1 {{'memref.dma_start' op expected destination to be of memref type}}
  "memref.dma_start"(%a, %n, %x, %n, %n, %n) : (memref<64xf32>, index, f32, index, index, index) -> ()
  return
}

// -----

func.func @half_a_stride(%a: memref<64xf32>, %tag: memref<i32>, %n: index) {
  // expected-error@+1 {{expected two stride related operands}}
  memref.dma_start %a[%n], %a[%n], %n, %tag[], %n : memref<64xf32>, memref<64xf32>, memref<i32>
  return
}

// -----

func.func @other_rank(%tag: memref<2x2xi32>, %n: index) {
  // expected-error@+1 {{expected 2, but got 1}}
  memref.dma_wait %tag[%n], %n : memref<2x2xi32>
  return
}
