// RUN: gpuc-opt %s --canonicalize | FileCheck %s

// Casts there and back are what was cast.

// CHECK-LABEL: func.func @back
// CHECK-NEXT: return %arg0, %arg1
func.func @back(%a: i32, %b: f32) -> (i32, f32) {
  %0:2 = builtin.unrealized_conversion_cast %a, %b : i32, f32 to i64, f64
  %1:2 = builtin.unrealized_conversion_cast %0#0, %0#1 : i64, f64 to i32, f32
  return %1#0, %1#1 : i32, f32
}

// CHECK-LABEL: func.func @crossed
// CHECK: builtin.unrealized_conversion_cast
// CHECK: builtin.unrealized_conversion_cast
func.func @crossed(%a: i32, %b: i32) -> (i32, i32) {
  %0:2 = builtin.unrealized_conversion_cast %a, %b : i32, i32 to i64, i64
  %1:2 = builtin.unrealized_conversion_cast %0#1, %0#0 : i64, i64 to i32, i32
  return %1#0, %1#1 : i32, i32
}
