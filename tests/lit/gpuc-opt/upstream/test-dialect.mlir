// RUN: gpuc-opt %s --split-input-file --verify-diagnostics --canonicalize | FileCheck %s

// Operations of the dialect `test` try groups of operands, regions and folding; any other one may stand beside them.

// CHECK-LABEL: func.func @groups
// CHECK: "test.mixed_normal_variadic_operand"(%arg0, %arg0, %arg0)
// CHECK: "test.other"()
func.func @groups(%t: tensor<f32>) {
  "test.mixed_normal_variadic_operand"(%t, %t, %t) : (tensor<f32>, tensor<f32>, tensor<f32>) -> ()
  "test.other"() : () -> ()
  return
}

// -----

func.func @wrong_group(%t: tensor<f32>, %x: f32) {
  // expected-error @+1 {{operand #2 must be variadic of tensor of any type values, but got 'f32'}}
  "test.mixed_normal_variadic_operand"(%t, %t, %x) : (tensor<f32>, tensor<f32>, f32) -> ()
  return
}

// -----

func.func @regions() {
  // expected-error @+1 {{'test.two_region_op' op expected 2 regions}}
  "test.two_region_op"() ({}) : () -> ()
  return
}

// -----

// Constants of operands go behind the others, in their order.

// CHECK-LABEL: func.func @commutes
// CHECK: "test.op_commutative"(%arg0, %arg1, %c7_i32, %c8_i32)
func.func @commutes(%a: i32, %b: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %0 = "test.op_commutative"(%c7, %a, %c8, %b) : (i32, i32, i32, i32) -> i32
  return %0 : i32
}

// -----

// An operation may keep its constants.

// CHECK-LABEL: func.func @kept
// CHECK: "test.one_region_op"
// CHECK-NEXT: %[[C:.*]] = arith.constant 2 : i32
// CHECK-NEXT: "test.use"(%[[C]])
func.func @kept() {
  "test.one_region_op"() ({
    %c1 = arith.constant 1 : i32
    %0 = arith.addi %c1, %c1 : i32
    "test.use"(%0) : (i32) -> ()
  }) : () -> ()
  return
}

// -----

// Names that an operation gives to arguments have letters that names may have.

// CHECK-LABEL: func.func @names
// CHECK: test.polyfor %i, %b_2B, %arg0 {
func.func @names() {
  "test.polyfor"() ({
  ^bb0(%a: index, %b: index, %c: index):
    "test.use"(%a) : (index) -> ()
  }) {arg_names = ["i", "b +"]} : () -> ()
  return
}
