// Loops that count, and those that only look like it.
// RUN: gpuc-opt --raise-while --split-input-file %s | FileCheck %s

// What the loop leaves is what its condition saw last.
// CHECK-LABEL: func.func @down
// CHECK: %{{.*}} = arith.index_cast %arg0 : i32 to index
// CHECK: %[[FOR:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[K:.*]] = %arg0) -> (i32)
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %{{.*}} overflow<nsw>
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[FOR]], %{{.*}} overflow<nsw>
// CHECK: return %[[LAST]] : i32
func.func @down(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c-1 = arith.constant -1 : i32
  %0 = scf.while (%k = %n) : (i32) -> i32 {
    %more = arith.cmpi ne, %k, %c0 : i32
    %less = arith.addi %k, %c-1 overflow<nsw> : i32
    scf.condition(%more) %less : i32
  } do {
  ^bb0(%less: i32):
    scf.yield %less : i32
  }
  return %0 : i32
}

// -----

// It may wrap around before it meets the bound.
// CHECK-LABEL: func.func @wraps
// CHECK: scf.while
func.func @wraps(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %0 = scf.while (%k = %c0) : (i32) -> i32 {
    %more = arith.cmpi ult, %k, %n : i32
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c3 : i32
    scf.yield %next : i32
  }
  return %0 : i32
}

// -----

// The bound moves.
// CHECK-LABEL: func.func @moves
// CHECK: scf.while
func.func @moves(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.while (%k = %c0, %b = %n) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %k, %b : i32
    scf.condition(%more) %k, %b : i32, i32
  } do {
  ^bb0(%k: i32, %b: i32):
    %next = arith.addi %k, %c1 overflow<nsw> : i32
    %less = arith.subi %b, %c1 overflow<nsw> : i32
    scf.yield %next, %less : i32, i32
  }
  return %0#0 : i32
}

// -----

// It goes the other way.
// CHECK-LABEL: func.func @away
// CHECK: scf.while
func.func @away(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c-1 = arith.constant -1 : i32
  %0 = scf.while (%k = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c-1 overflow<nsw> : i32
    scf.yield %next : i32
  }
  return %0 : i32
}

// -----

// Two ends: the nearer one.
// CHECK-LABEL: func.func @two_ends
// CHECK: %[[LEAST:.*]] = arith.minsi
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[LEAST]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
func.func @two_ends(%n: i32, %m: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.while (%k = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %k, %n : i32
    %still = arith.cmpi sle, %k, %m : i32
    %both = arith.andi %more, %still : i1
    scf.condition(%both) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c1 overflow<nsw> : i32
    scf.yield %next : i32
  }
  return %0 : i32
}

// -----

// Either of two ends: none is known to be the end.
// CHECK-LABEL: func.func @either
// CHECK: scf.while
func.func @either(%n: i32, %m: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.while (%k = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %k, %n : i32
    %still = arith.cmpi sle, %k, %m : i32
    %one = arith.ori %more, %still : i1
    scf.condition(%one) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %c1 overflow<nsw> : i32
    scf.yield %next : i32
  }
  return %0 : i32
}
