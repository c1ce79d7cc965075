// Pieces are read one by one, and their errors are the expected ones.
// RUN: gpuc-opt --split-input-file --verify-diagnostics %s
// RUN: not gpuc-opt --verify-diagnostics examples/README.md 2>&1 | FileCheck %s
// CHECK: error: unexpected error
func.func @good() {
  return
}

// -----

func.func @refused(%a: i32) -> i64 {
  // expected-error@+1 {{type of return operand 0 ('i32') doesn't match function result type ('i64')}}
  return %a : i32
}

// -----

// Names are those of each piece.
func.func @good() {
  return
}
