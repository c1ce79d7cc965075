// RUN: gpuc-opt %s | gpuc-opt | FileCheck %s --check-prefix=TEXT
// RUN: gpuc-opt %s --mlir-print-op-generic | gpuc-opt | FileCheck %s --check-prefix=TEXT
// RUN: gpuc-opt %s --canonicalize | FileCheck %s
// RUN: gpuc-opt %s --run=numbers | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s --canonicalize --run=numbers | FileCheck %s --check-prefix=EXEC

// TEXT: complex.constant [3.000000e+00 : f32, 4.000000e+00 : f32] : complex<f32>
// TEXT: complex.div %{{.*}}, %{{.*}} : complex<f32>
// TEXT: complex.bitcast %{{.*}} : complex<f32> to i64
// EXEC: 5
// EXEC: 2
// EXEC: -1
// EXEC: 1
// EXEC: 4899916394579099648
func.func @numbers() -> (f32, f32, f32, i1, i64) {
  %z = complex.constant [3.0 : f32, 4.0 : f32] : complex<f32>
  %w = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %abs = complex.abs %z : complex<f32>
  %root = complex.sqrt %z : complex<f32>
  %re = complex.re %root : complex<f32>
  %product = complex.mul %w, %w : complex<f32>
  %quotient = complex.div %product, %w : complex<f32>
  %difference = complex.sub %quotient, %w : complex<f32>
  %negative = complex.neg %w : complex<f32>
  %im = complex.re %negative : complex<f32>
  %same = complex.eq %quotient, %w : complex<f32>
  %i = complex.constant [0.0 : f32, 512.0 : f32] : complex<f32>
  %bits = complex.bitcast %i : complex<f32> to i64
  return %abs, %re, %im, %same, %bits : f32, f32, f32, i1, i64
}

// A logarithm is one of many whose exponential is the number; of a number known to be the principal one it is that.

// CHECK-LABEL: func.func @functions
// CHECK: %[[C:.*]] = complex.constant [1.000000e+00 : f32, 2.000000e+00 : f32]
// CHECK: %[[E:.*]] = complex.exp %arg0
// CHECK: %[[L:.*]] = complex.log %[[E]]
// CHECK: return %arg0, %[[L]], %[[C]]
func.func @functions(%z: complex<f32>) -> (complex<f32>, complex<f32>, complex<f32>) {
  %0 = complex.log %z : complex<f32>
  %1 = complex.exp %0 : complex<f32>
  %2 = complex.exp %z : complex<f32>
  %3 = complex.log %2 : complex<f32>
  %c = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %4 = complex.exp %c : complex<f32>
  %5 = complex.log %4 : complex<f32>
  return %1, %3, %5 : complex<f32>, complex<f32>, complex<f32>
}

// CHECK-LABEL: func.func @parts
// CHECK: %[[N:.*]] = arith.negf %arg1 : f32
// CHECK: %[[B:.*]] = complex.bitcast %arg2 : complex<f32> to f64
// CHECK: return %arg0, %[[N]], %arg2, %[[B]]
func.func @parts(%x: f32, %y: f32, %z: complex<f32>) -> (f32, f32, complex<f32>, f64) {
  %0 = complex.create %x, %y : complex<f32>
  %re = complex.re %0 : complex<f32>
  %1 = complex.neg %0 : complex<f32>
  %im = complex.im %1 : complex<f32>
  %zre = complex.re %z : complex<f32>
  %zim = complex.im %z : complex<f32>
  %2 = complex.create %zre, %zim : complex<f32>
  %3 = complex.bitcast %z : complex<f32> to i64
  %4 = arith.bitcast %3 : i64 to f64
  return %re, %im, %2, %4 : f32, f32, complex<f32>, f64
}
