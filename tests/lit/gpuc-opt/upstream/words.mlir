// RUN: gpuc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// What is refused in upstream's words, with its notes.

func.func @predicate(%a: i32) {
  // expected-error@+1 {{expected string or keyword containing one of the following enum values for attribute 'predicate' [eq, ne, slt,}}
  %0 = arith.cmpi less, %a, %a : i32
  return
}

// -----

func.func @no_integer(%a: f32) {
  // expected-error@+1 {{custom op 'arith.cmpi' 'lhs' must be signless-integer-like, but got 'f32'}}
  %0 = arith.cmpi eq, %a, %a : f32
  return
}

// -----

func.func @ranks(%a: tensor<index>) {
  // expected-error@+1 {{failed to verify that input and output have the same tensor dimensions}}
  %0 = arith.index_cast %a : tensor<index> to tensor<2xi64>
  return
}

// -----

func.func @text() {
  // expected-error@+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "arith.constant"() {value = "text"} : () -> i32
  return
}

// -----

func.func @overflow(%a: vector<8xi32>) {
  // expected-error@+1 {{if an operand is non-scalar, then all results must be non-scalar}}
  %0:2 = arith.addui_extended %a, %a : vector<8xi32>, i1
  return
}

// -----

func.func @overflow_of_other_kind(%a: vector<8xi32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0:2 = arith.addui_extended %a, %a : vector<8xi32>, tensor<8xi1>
  return
}

// -----

func.func private @pair() -> (i32, f32)

func.func @other_results() {
  // expected-error@+3 {{'func.call' op result type mismatch at index 0}}
  // expected-note@+2 {{op result types: 'f32', 'i32'}}
  // expected-note@+1 {{function result types: 'i32', 'f32'}}
  %0:2 = call @pair() : () -> (f32, i32)
  return
}

// -----

func.func @large_index() {
  // expected-error@+1 {{integer constant out of range for attribute}}
  affine.for %i = 1 to 9223372036854775808 {
  }
  return
}

// -----

func.func @in_the_block() {
  // expected-error@+1 {{operand #0 does not dominate this use}}
  "foo.use"(%x) : (i32) -> ()
  // expected-note@+1 {{operand defined here (op in the same block)}}
  %x = "foo.make"() : () -> i32
  return
}

// -----

func.func @in_the_region() {
  cf.br ^bb2
^bb1:
  // expected-note@+1 {{operand defined here (op in the same region)}}
  %x = "foo.make"() : () -> i32
  cf.br ^bb2
^bb2:
  // expected-error@+1 {{operand #0 does not dominate this use}}
  "foo.use"(%x) : (i32) -> ()
  return
}

// -----

// expected-error@+1 {{gpu.known_block_size must be a dense i32 array}}
func.func @block_of_words() attributes {gpu.known_block_size = 32 : i32} {
  return
}

// -----

// expected-error@+1 {{gpu.known_grid_size must contain exactly 3 elements}}
func.func @flat_grid() attributes {gpu.known_grid_size = array<i32: 1, 2>} {
  return
}
