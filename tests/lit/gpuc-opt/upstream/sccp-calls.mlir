// RUN: gpuc-opt %s --sccp | FileCheck %s
// RUN: gpuc-opt %s --sccp --run=entry | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s --run=entry | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s -p 'builtin.module(func.func(sccp))' | FileCheck %s --check-prefix=ALONE

// A private function has the arguments that its calls give it, and a call what is returned.

// CHECK-LABEL: func.func private @step
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: return %arg0, %[[TWO]]
// ALONE-LABEL: func.func private @step
// ALONE: return %arg0, %arg1
func.func private @step(%n: i32, %by: i32) -> (i32, i32) {
  return %n, %by : i32, i32
}

// Who calls himself with what he was given is given nothing else.

// CHECK-LABEL: func.func private @again
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: return %[[ONE]]
func.func private @again(%n: i32, %more: i1) -> i32 {
  cf.cond_br %more, ^again, ^done
^again:
  %false = arith.constant false
  %0 = call @again(%n, %false) : (i32, i1) -> i32
  return %0 : i32
^done:
  return %n : i32
}

// EXEC: 2
// EXEC: 1
// CHECK-LABEL: func.func @entry
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: return %[[TWO]], %[[ONE]]
func.func @entry() -> (i32, i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %true = arith.constant true
  %0:2 = call @step(%one, %two) : (i32, i32) -> (i32, i32)
  %1:2 = call @step(%two, %two) : (i32, i32) -> (i32, i32)
  %2 = call @again(%one, %true) : (i32, i1) -> i32
  return %1#1, %2 : i32, i32
}

// What is named elsewhere may be called with anything.

// CHECK-LABEL: func.func private @named
// CHECK: return %arg0
func.func private @named(%n: i32) -> i32 {
  return %n : i32
}
func.func @names(%n: i32) -> (i32, i32) {
  %f = func.constant @named : (i32) -> i32
  %one = arith.constant 1 : i32
  %0 = call @named(%one) : (i32) -> i32
  %1 = call_indirect %f(%n) : (i32) -> i32
  return %0, %1 : i32, i32
}

// Loops whose number of iterations is known.

// CHECK-LABEL: func.func @iterations
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[MANY:.*]] = affine.for %{{.*}} = 0 to 2
// CHECK: return %[[ZERO]], %[[ONE]], %[[MANY]]
func.func @iterations() -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = affine.for %i = 0 to 0 iter_args(%s = %zero) -> (i32) {
    %n = arith.addi %s, %one : i32
    affine.yield %n : i32
  }
  %1 = affine.for %i = 0 to 1 iter_args(%s = %zero) -> (i32) {
    %n = arith.addi %s, %one : i32
    affine.yield %n : i32
  }
  %2 = affine.for %i = 0 to 2 iter_args(%s = %zero) -> (i32) {
    %n = arith.addi %s, %one : i32
    affine.yield %n : i32
  }
  return %0, %1, %2 : i32, i32, i32
}

// A loop whose test is known runs for ever, or not at all.

// CHECK-LABEL: func.func @never_again
// CHECK: %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK: return %[[FIVE]]
func.func @never_again(%n: i32) -> i32 {
  %five = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %0 = scf.while (%i = %five) : (i32) -> i32 {
    %less = arith.cmpi slt, %i, %five : i32
    scf.condition(%less) %i : i32
  } do {
  ^bb0(%i: i32):
    %more = arith.addi %i, %n : i32
    scf.yield %more : i32
  }
  return %0 : i32
}
