// Malformed IR: what is wrong and where, at every piece.
// RUN: not gpuc-opt --split-input-file %s 2>&1 | golden

func.func @unknown_op(%a: i32) -> i32 {
  %0 = arith.adi %a, %a : i32
  return %0 : i32
}

// -----

func.func @wrong_result(%a: i32) -> i64 {
  return %a : i32
}

// -----

func.func @undeclared(%a: i32) {
  %0 = arith.addi %a, %b : i32
  return
}

// -----

func.func @no_terminator(%a: i32) {
  %0 = arith.addi %a, %a : i32
}

// -----

func.func @wrong_types(%a: i32, %b: f32) {
  %0 = "arith.addi"(%a, %b) : (i32, f32) -> i32
  return
}

// -----

func.func @unknown_type(%a: i3x2) {
  return
}

// -----

func.func @twice() {
  return
}
func.func @twice() {
  return
}

// -----

func.func @dominance(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = arith.constant 1 : i32
  cf.br ^bb2
^bb2:
  %1 = arith.addi %0, %0 : i32
  return
}

// -----

func.func @unregistered() {
  "foo.bar"() : () -> ()
  return
}

// -----

func.func @no_dimension(%i: index, %a: memref<4xf32>) {
  %0 = affine.load %a[%i, %i] : memref<4xf32>
  return
}

// -----

func.func @open(
