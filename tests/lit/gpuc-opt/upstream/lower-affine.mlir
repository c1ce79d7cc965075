// Parallel loops whose results are greatest or least numbers, of which those that are none win.
// RUN: gpuc-opt --lower-affine %s | FileCheck %s
// RUN: not gpuc-opt --lower-affine=compact %s 2>&1 | FileCheck %s --check-prefix=COMPACT

// COMPACT: error: a reduction by 'maximumf' is not supported

// CHECK-LABEL: func.func @extremes
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 0x7F800000 : f32
// CHECK: scf.parallel {{.*}} init (%[[LOW]], %[[HIGH]])
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @extremes(%a: memref<8xf32>) -> (f32, f32) {
  %r:2 = affine.parallel (%i) = (0) to (8) reduce ("maximumf", "minimumf") -> (f32, f32) {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.yield %x, %x : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}
