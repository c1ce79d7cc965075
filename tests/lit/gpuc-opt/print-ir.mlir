// What is printed between passes goes to the error stream; the module goes to the output.
// RUN: gpuc-opt --canonicalize --cse --print-ir-after-all %s 2> %t.all | FileCheck %s
// RUN: cat %t.all | FileCheck %s --check-prefix=ALL
// RUN: gpuc-opt --canonicalize --cse --print-ir-after-change %s 2> %t.change | FileCheck %s
// RUN: cat %t.change | FileCheck %s --check-prefix=CHANGE
// RUN: gpuc-opt --canonicalize --cse --mlir-print-ir-before=cse %s 2> %t.before | FileCheck %s
// RUN: cat %t.before | FileCheck %s --check-prefix=BEFORE

// ALL: // -----// IR Dump After {{.*}}canonicalize
// ALL: func.func @f
// ALL: // -----// IR Dump After {{.*}}cse
// ALL: func.func @f

// CHANGE: // -----// IR Dump After {{.*}}canonicalize
// CHANGE: func.func @f
// CHANGE-NOT: {{IR Dump After .*cse.*[(]cse[)] //}}

// BEFORE-NOT: IR Dump {{.*}}canonicalize
// BEFORE: // -----// IR Dump Before {{.*}}cse

// CHECK-NOT: IR Dump
// CHECK-LABEL: func.func @f
// CHECK-NEXT: return %arg0
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  return %0 : i32
}
