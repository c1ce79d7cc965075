// Errors in mlir-opt's form: what is missing is missing behind what precedes it; what belongs to an error is a note; what became of the
// other pieces of the input is printed.
// RUN: not gpuc-opt --split-input-file --allow-unregistered-dialect %s 2>&1 | FileCheck %s
func.func @missing_token() {
  %x = "foo"()  // a comment behind it
  return
}
// CHECK: messages.mlir:5:15: error: expected ':' followed by operation type
// CHECK-NEXT: %x = "foo"() // a comment behind it
// CHECK-NEXT: ^

// -----

func.func @twice(%i: index) {
  affine.for %i = 0 to 4 {
  }
  return
}
// CHECK: messages.mlir:[[#@LINE-4]]:14: error: region entry argument '%i' is already in use
// CHECK: messages.mlir:[[#@LINE-6]]:18: note: previously referenced here

// -----

func.func @no_end() {
  %c = arith.constant 1 : index
}
// CHECK: messages.mlir:[[#@LINE-2]]:8: error: block with no terminator, has 'arith.constant'

// -----

func.func @right() {
  return
}
// CHECK: func.func @right() {
