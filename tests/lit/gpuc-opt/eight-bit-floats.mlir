// Formats of eight bits: what is too great becomes what the format has for it, and numbers are rounded as it rounds.
// RUN: gpuc-opt %s | FileCheck %s
// RUN: gpuc-opt --mlir-print-op-generic %s | gpuc-opt | FileCheck %s
// CHECK: func.func @f(%arg0: f8E5M2, %arg1: f8E4M3, %arg2: f8E4M3FN, %arg3: f8E5M2FNUZ, %arg4: f8E4M3FNUZ, %arg5: f8E4M3B11FNUZ) {
// CHECK: %{{.*}} = arith.constant 1.000000e+00 : f8E5M2
// CHECK: %{{.*}} = arith.constant 0x7F : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 0.000000e+00 : f8E4M3FNUZ
// CHECK: %{{.*}} = arith.constant 0x7F : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 0x78 : f8E4M3
// CHECK: %{{.*}} = arith.constant 0x80 : f8E5M2FNUZ
// CHECK: %{{.*}} = arith.constant 0x80 : f8E4M3B11FNUZ
// CHECK: %{{.*}} = arith.constant dense<[1.015630e-01, 2.031250e-01, 1.600000e+01]> : vector<3xf8E4M3B11FNUZ>
// CHECK: %{{.*}} = arith.constant 3.125000e-01 : f8E5M2
// CHECK: %{{.*}} = arith.constant 1.953130e-03 : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 1.953130e-03 : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 0x7F : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 3.000000e+01 : f8E4M3B11FNUZ
// CHECK: %{{.*}} = arith.constant 4.375000e-01 : f8E4M3
// CHECK: %{{.*}} = arith.constant 0xFF : f8E4M3FN
// CHECK: %{{.*}} = arith.constant 0xFD : f8E5M2
// CHECK: %{{.*}} = arith.constant 9.765620e-04 : f8E4M3B11FNUZ
// CHECK: %{{.*}} = arith.constant -3.000000e+01 : f8E4M3B11FNUZ
func.func @f(%a: f8E5M2, %b: f8E4M3, %c: f8E4M3FN, %d: f8E5M2FNUZ, %e: f8E4M3FNUZ, %g: f8E4M3B11FNUZ) {
  %0 = arith.constant 1.0 : f8E5M2
  %1 = arith.constant 0x7F : f8E4M3FN
  %2 = arith.constant -0.0 : f8E4M3FNUZ
  %3 = arith.constant 1000.0 : f8E4M3FN
  %4 = arith.constant 1000.0 : f8E4M3
  %5 = arith.constant 0x80 : f8E5M2FNUZ
  %6 = arith.constant 1000.0 : f8E4M3B11FNUZ
  %7 = arith.constant dense<[0.1, 0.2, 17.0]> : vector<3xf8E4M3B11FNUZ>
  %8 = arith.constant 0.3 : f8E5M2
  %9 = arith.constant 0.001 : f8E4M3FN
  %10 = arith.constant 0.001953125 : f8E4M3FN
  %11 = arith.constant 448.0 : f8E4M3FN
  %12 = arith.constant 464.0 : f8E4M3FN
  %13 = arith.constant 465.0 : f8E4M3FN
  %14 = arith.constant 30.0 : f8E4M3B11FNUZ
  %15 = arith.constant 0.4375 : f8E4M3
  %16 = arith.constant 0xFF : f8E4M3FN
  %17 = arith.constant 0xFD : f8E5M2
  %18 = arith.constant 0.001 : f8E4M3B11FNUZ
  %19 = arith.constant 0xFF : f8E4M3B11FNUZ
  return
}
