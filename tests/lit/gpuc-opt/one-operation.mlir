// A text that is one operation is not put into a module; passes given as flags run on it.
// RUN: gpuc-opt --no-implicit-module --cse %s | FileCheck %s
// RUN: not gpuc-opt --no-implicit-module --gpuc-lower %s 2>&1 | FileCheck %s --check-prefix=ANCHOR
// CHECK: {{^}}func.func @one(%arg0: i32) -> i32 {
// CHECK-NEXT: %0 = arith.addi %arg0, %arg0
// CHECK-NEXT: %1 = arith.muli %0, %0
// ANCHOR: can't add pass 'distribute' restricted to 'builtin.module' on a pass manager intended to run on 'func.func'
func.func @one(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
