// RUN: gpuc-opt %s --canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Constants at the head of a block keep their order and places; others come in front of them, without a location, and so
// do those that stand for several.

// CHECK-LABEL: func.func @order
// CHECK-NEXT: %c3 = arith.constant 3 : index loc(unknown)
// CHECK-NEXT: %c1 = arith.constant 1 : index loc("one")
// CHECK-NEXT: %c2 = arith.constant 2 : index loc("two")
// CHECK-NEXT: "test.use"(%c1, %c2)
// CHECK-NEXT: "test.use"(%c3)
func.func @order() {
  %c1 = arith.constant 1 : index loc("one")
  %c2 = arith.constant 2 : index loc("two")
  "test.use"(%c1, %c2) : (index, index) -> ()
  %c3 = arith.constant 3 : index loc("three")
  "test.use"(%c3) : (index) -> ()
  return
}

// CHECK-LABEL: func.func @several
// CHECK-NEXT: %c7 = arith.constant 7 : index loc(unknown)
// CHECK-NEXT: "test.use"(%c7, %c7)
func.func @several() {
  %a = arith.constant 7 : index loc("first")
  %b = arith.constant 7 : index loc("second")
  "test.use"(%a, %b) : (index, index) -> ()
  return
}

// CHECK-LABEL: func.func @out_of_a_loop
// CHECK-NEXT: %c5 = arith.constant 5 : index loc(unknown)
// CHECK-NEXT: affine.for
func.func @out_of_a_loop(%n: index) {
  affine.for %i = 0 to %n {
    %c5 = arith.constant 5 : index loc("inside")
    "test.use"(%i, %c5) : (index, index) -> ()
  }
  return
}
