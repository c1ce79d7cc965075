// RUN: gpuc-opt %s --canonicalize=region-simplify=aggressive --allow-unregistered-dialect | FileCheck %s
// RUN: gpuc-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s --check-prefix=APART

// Blocks that do the same become one; operands in which they differ become its arguments.

// CHECK-LABEL: func.func @same
// CHECK: "foo.choose"()[^bb1, ^bb1]
// APART-LABEL: func.func @same
// APART: "foo.choose"()[^bb1, ^bb2]
func.func @same() {
  "foo.choose"()[^bb1, ^bb2] : () -> ()
^bb1:
  "foo.work"() : () -> ()
  return
^bb2:
  "foo.work"() : () -> ()
  return
}

// CHECK-LABEL: func.func @other_values
// CHECK-NEXT: %[[V:.*]] = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: %[[W:.*]] = arith.select %arg0, %arg1, %arg2 : i32
// CHECK-NEXT: "foo.work"(%[[V]]) : (i32) -> ()
// CHECK-NEXT: return %[[W]] : i32
func.func @other_values(%which: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %which, ^bb1, ^bb2
^bb1:
  "foo.work"(%a) : (i32) -> ()
  return %a : i32
^bb2:
  "foo.work"(%b) : (i32) -> ()
  return %b : i32
}

// Not where the branch cannot hand values over, something else is done, or a result is used elsewhere.

// CHECK-LABEL: func.func @foreign_branch
// CHECK: "foo.choose"()[^bb1, ^bb2]
func.func @foreign_branch(%a: i32, %b: i32) -> i32 {
  "foo.choose"()[^bb1, ^bb2] : () -> ()
^bb1:
  return %a : i32
^bb2:
  return %b : i32
}

// CHECK-LABEL: func.func @other_work
// CHECK: cf.cond_br %arg0, ^bb1, ^bb2
func.func @other_work(%which: i1) {
  cf.cond_br %which, ^bb1, ^bb2
^bb1:
  "foo.work"() {n = 1} : () -> ()
  return
^bb2:
  "foo.work"() {n = 2} : () -> ()
  return
}

// CHECK-LABEL: func.func @used_elsewhere
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: "foo.made"
// CHECK: "foo.made"
func.func @used_elsewhere(%which: i1) -> i32 {
  %zero = arith.constant 0 : i32
  cf.cond_br %which, ^bb1, ^bb2
^bb1:
  %a = "foo.made"() : () -> i32
  cf.br ^bb3(%zero : i32)
^bb2:
  %b = "foo.made"() : () -> i32
  cf.br ^bb3(%b : i32)
^bb3(%v: i32):
  return %v : i32
}
