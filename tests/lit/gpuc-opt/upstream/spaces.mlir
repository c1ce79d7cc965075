// Types may have white space round their `x`, as upstream's tests do.
// RUN: gpuc-opt %s | FileCheck %s

// CHECK: func.func private @types(memref<100xf32>, memref<?x?xvector<4x2xf32>>, tensor<4x4xf32>, memref<*xf32>)
func.func private @types(memref<100 x f32>, memref<? x ?  x vector<4 x 2x f32>>, tensor<4 x4x f32>, memref<* x f32>)
