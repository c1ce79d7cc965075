// RUN: gpuc-opt %s --test-func-erase-arg --test-func-erase-result --test-func-insert-arg --test-func-insert-result --test-func-set-type | FileCheck %s

// CHECK: func.func @erased(%arg0: i32 {test.a}) -> i32
// CHECK: return %arg0 : i32
func.func @erased(%x: f32 {test.erase_this_arg}, %n: i32 {test.a}, %y: f32 {test.erase_this_arg}) -> i32 {
  return %n : i32
}

// CHECK: func.func private @results() -> (i8 {test.b}, i16, i32 {test.a})
func.func private @results() -> (f32 {test.erase_this_result}, i32 {test.a})
  attributes {test.insert_results = [[0, i8, {test.b}], [0, i16]]}

// CHECK: func.func @inserted(%arg0: i8, %arg1: i32, %arg2: i16 {test.c})
// CHECK-NEXT: "test.use"(%arg1)
func.func @inserted(%n: i32) attributes {test.insert_args = [[0, i8], [1, i16, {test.c}]]} {
  "test.use"(%n) : (i32) -> ()
  return
}

// CHECK: func.func private @typed(f32 {test.a})
func.func private @like(f32)
func.func private @typed(f32 {test.a}, i32 {test.b}) attributes {test.set_type_from = @like}
