// Expectations whose text has regular expressions in it, in braces.
// RUN: gpuc-opt --verify-diagnostics --split-input-file %s

// expected-error-re@+1 {{custom op 'arith.{{[a-z]+}}' is unknown}}
arith.nothing
// -----
func.func @f(%a: i32) -> i64 {
  // expected-error-re @+1 {{type of return operand 0 ('i{{[0-9]+}}') doesn't match}}
  return %a : i32
}
