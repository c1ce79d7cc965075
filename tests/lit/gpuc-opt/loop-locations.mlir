// The variable of a loop has a location of its own, which a text keeps where locations are printed.
// RUN: gpuc-opt --mlir-print-debuginfo %s | FileCheck %s
// RUN: gpuc-opt --mlir-print-debuginfo %s -o %t.mlir
// RUN: gpuc-opt --mlir-print-debuginfo %t.mlir | FileCheck %s
// CHECK: affine.for %{{.*}} loc([[VARIABLE:#loc[0-9]*]]) = 0 to 4 {
// CHECK: } loc([[LOOP:#loc[0-9]*]])
// CHECK-DAG: [[VARIABLE]] = loc("a.c":3:12)
// CHECK-DAG: [[LOOP]] = loc("a.c":3:3)
func.func @f() {
  affine.for %i loc("a.c":3:12) = 0 to 4 {
  } loc("a.c":3:3)
  return
}
