// The forms in which a module is printed.
// RUN: gpuc-opt %s | FileCheck %s --check-prefix=PRETTY
// RUN: gpuc-opt --mlir-print-op-generic %s > %t.generic
// RUN: cat %t.generic | FileCheck %s --check-prefix=GENERIC
// RUN: gpuc-opt %t.generic | FileCheck %s --check-prefix=PRETTY
// RUN: gpuc-opt --mlir-print-debuginfo %s | FileCheck %s --check-prefix=LOCATIONS
// RUN: gpuc-opt < %s | FileCheck %s --check-prefix=PRETTY

// PRETTY: func.func @f(%arg0: i32) -> i32 {
// PRETTY-NEXT: %0 = arith.addi %arg0, %arg0 : i32
// PRETTY-NEXT: return %0 : i32
// GENERIC: "builtin.module"() ({
// GENERIC: "func.func"()
// GENERIC: %0 = "arith.addi"(%arg0, %arg0)
// GENERIC: "func.return"(%0) : (i32) -> ()
// LOCATIONS: arith.addi {{.*}} loc(
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
