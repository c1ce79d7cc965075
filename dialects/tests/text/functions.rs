//! `builtin` and `func`: syntax and refusals.

use crate::harness::{canonical, refused, round_trip};

#[test]
fn functions_and_calls() {
    round_trip(
        "module @outer attributes {test.attr = 1 : i32} {
  func.func private @declared(i32 {test.a}, f32) -> (i32 {test.b}, f32)
  func.func nested @nested(%arg0: i32 {test.a = \"x\"}) -> (i32 {test.b}) attributes {test.c} {
    return %arg0 : i32
  }
  func.func @callers(%arg0: i32, %arg1: f32) -> (() -> ()) {
    %0:2 = call @declared(%arg0, %arg1) {test.d} : (i32, f32) -> (i32, f32)
    %f = constant @declared : (i32, f32) -> (i32, f32)
    %1:2 = call_indirect %f(%0#0, %0#1) : (i32, f32) -> (i32, f32)
    %2 = builtin.unrealized_conversion_cast %1#0 : i32 to () -> ()
    %3 = builtin.unrealized_conversion_cast to f32 {test.e}
    return %2 : () -> ()
  }
  module @inner {
  }
}",
    );
}

#[test]
fn refusals() {
    refused(&[
        (
            "func.func @f(%a: i32) { return %a : i32 }",
            "'func.return' op has 1 operands, but enclosing function (@f) returns 0",
        ),
        (
            "func.func @f(%a: i32) -> i64 { return %a : i32 }",
            "'func.return' op type of return operand 0 ('i32') doesn't match function result type ('i64') in function @f",
        ),
        (
            "func.func @f(%a: i32)",
            "'func.func' op symbol declaration cannot have public visibility",
        ),
        (
            "func.func @f(i32) { return }",
            "'func.func' op entry block must have 1 arguments to match function signature",
        ),
        (
            "\"func.func\"() <{function_type = (i32) -> (), sym_name = \"f\"}> ({^bb0(%a: i64): \"func.return\"() : () -> ()}) : () -> ()",
            "'func.func' op type of entry block argument #0('i64') must match the type of the corresponding argument in function signature('i32')",
        ),
        (
            "func.func private @f(i32 {a})",
            "'func.func' op arguments may only have dialect attributes",
        ),
        (
            "\"func.func\"() <{function_type = (i32) -> (), sym_name = \"f\", sym_visibility = \"private\", arg_attrs = [{}, {}]}> ({}) : () -> ()",
            "'func.func' op expects argument attribute array to have the same number of elements as the number of function arguments, got 2, but expected 1",
        ),
        (
            "func.func @f(%a: i32) { call @f() : () -> () return }",
            "'func.call' op incorrect number of operands for callee",
        ),
        (
            "func.func @f(%a: i64) { call @g(%a) : (i64) -> () return } func.func private @g(i32)",
            "'func.call' op operand type mismatch: expected operand type 'i32', but provided 'i64' for operand number 0",
        ),
        (
            "func.func @f() { call @g() : () -> () return }",
            "'func.call' op 'g' does not reference a valid function",
        ),
        (
            "func.func @f() { %0 = call @f() : () -> i32 return }",
            "'func.call' op incorrect number of results for callee",
        ),
        (
            "func.func @f() { %0 = constant @g : () -> () return }",
            "'func.constant' op reference to undefined function 'g'",
        ),
        (
            "func.func @f() { %0 = constant @f : () -> i32 return }",
            "'func.constant' op reference to function with mismatched type",
        ),
        (
            "func.func @f() { \"func.call_indirect\"(%i) : (index) -> () return } ",
            "use of undeclared SSA value name",
        ),
    ]);
}

#[test]
fn indirect_calls_of_known_functions() {
    let text = canonical(
        "func.func @f(%a: i32) {
          %g = constant @f : (i32) -> ()
          call_indirect %g(%a) : (i32) -> ()
          return
        }",
    );
    assert_eq!(
        text,
        "module {\n  func.func @f(%arg0: i32) {\n    call @f(%arg0) : (i32) -> ()\n    return\n  }\n}"
    );
}
