// RUN: gpuc-opt %s --duplicate-function-elimination | FileCheck %s

// Functions are the same if what they do is, themselves called included; those that call duplicates may become duplicates.

// CHECK-NOT: @second
// CHECK: func.func private @first
// CHECK-NOT: @calls_second
// CHECK: func.func private @other
// CHECK: func.func @entry
// CHECK: call @calls_first
// CHECK: call @calls_first
// CHECK: call @other
func.func private @first(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  return %0 : i32
}
func.func private @second(%m: i32) -> i32 {
  %0 = arith.addi %m, %m : i32
  return %0 : i32
}
func.func private @calls_first(%n: i32) -> i32 {
  %0 = call @first(%n) : (i32) -> i32
  return %0 : i32
}
func.func private @calls_second(%n: i32) -> i32 {
  %0 = call @second(%n) : (i32) -> i32
  return %0 : i32
}
func.func private @other(%n: i32) -> i32 {
  %0 = arith.muli %n, %n : i32
  return %0 : i32
}
func.func @entry(%n: i32) -> i32 {
  %0 = call @calls_first(%n) : (i32) -> i32
  %1 = call @calls_second(%0) : (i32) -> i32
  %2 = call @other(%1) : (i32) -> i32
  return %2 : i32
}

// What is called is the same by its whole name only.
// CHECK-DAG: call @ahead() : () -> i32
// CHECK-DAG: call @behead() : () -> i32
func.func private @ahead() -> i32
func.func private @behead() -> i32
func.func @a() -> i32 {
  %0 = call @ahead() : () -> i32
  return %0 : i32
}
func.func @be() -> i32 {
  %0 = call @behead() : () -> i32
  return %0 : i32
}
