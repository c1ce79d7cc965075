// RUN: gpuc-opt %s --reconcile-unrealized-casts --math-uplift-to-fma --expand-realloc=emit-deallocs=false | FileCheck %s

// What is swapped on the way, or used between, stays.

// CHECK-LABEL: func.func @swapped
// CHECK: %[[A:.*]]:2 = builtin.unrealized_conversion_cast %arg0, %arg1
// CHECK: %[[B:.*]]:2 = builtin.unrealized_conversion_cast %[[A]]#1, %[[A]]#0
// CHECK: return %[[B]]#0, %[[B]]#1
func.func @swapped(%x: i64, %y: i64) -> (i64, i64) {
  %0:2 = builtin.unrealized_conversion_cast %x, %y : i64, i64 to i32, i32
  %1:2 = builtin.unrealized_conversion_cast %0#1, %0#0 : i32, i32 to i64, i64
  return %1#0, %1#1 : i64, i64
}

// CHECK-LABEL: func.func @used_between
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %arg0 : i64 to i32
// CHECK-NOT: unrealized
// CHECK: return %arg0, %[[A]]
func.func @used_between(%x: i64) -> (i64, i32) {
  %0 = builtin.unrealized_conversion_cast %x : i64 to i32
  %1 = builtin.unrealized_conversion_cast %0 : i32 to i64
  return %1, %0 : i64, i32
}

// Both operations have to allow it.

// CHECK-LABEL: func.func @one_allows
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @one_allows(%a: f32, %x: f32, %y: f32) -> f32 {
  %p = arith.mulf %a, %x : f32
  %s = arith.addf %p, %y fastmath<fast> : f32
  return %s : f32
}

// CHECK-LABEL: func.func @product_used_twice
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[S:.*]] = math.fma %arg0, %arg1, %arg2 fastmath<fast> : f32
// CHECK: return %[[S]], %[[P]]
func.func @product_used_twice(%a: f32, %x: f32, %y: f32) -> (f32, f32) {
  %p = arith.mulf %a, %x fastmath<fast> : f32
  %s = arith.addf %p, %y fastmath<fast> : f32
  return %s, %p : f32, f32
}

// CHECK-LABEL: func.func @grow
// CHECK: %[[OLD:.*]] = arith.constant 2 : index
// CHECK: %[[NEW:.*]] = arith.constant 4 : index
// CHECK: arith.cmpi ult, %[[OLD]], %[[NEW]]
// CHECK: memref.alloc() {alignment = 8 : i64} : memref<4xf32>
// CHECK: memref.subview %{{.*}}[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
// CHECK: memref.copy
// CHECK-NOT: memref.dealloc
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [4], strides: [1] : memref<2xf32> to memref<4xf32>
func.func @grow(%b: memref<2xf32>) -> memref<4xf32> {
  %r = memref.realloc %b {alignment = 8} : memref<2xf32> to memref<4xf32>
  return %r : memref<4xf32>
}
