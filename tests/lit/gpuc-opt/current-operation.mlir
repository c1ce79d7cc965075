// An error of the verifier shows the operation in its generic form, as a note, unless that is not wanted; the line is not shown twice.
// RUN: not gpuc-opt %s 2>&1 | FileCheck %s
// RUN: not gpuc-opt --mlir-print-op-on-diagnostic=false %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// Expectations may name the note, and need not.
// RUN: gpuc-opt --verify-diagnostics %s
// CHECK: :[[#@LINE+9]]:8: error: 'memref.alloc' op dimension operand count
// CHECK-NEXT: %0 = memref.alloc(%n) : memref<4xf32>
// CHECK-NEXT: ^
// CHECK-NEXT: :[[#@LINE+6]]:8: note: see current operation: %0 = "memref.alloc"(%arg0) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<4xf32>
// CHECK-NOT: {{.}}
// WITHOUT: error: 'memref.alloc'
// WITHOUT-NOT: note:
func.func @f(%n: index) {
  // expected-error @+1 {{dimension operand count}}
  %0 = memref.alloc(%n) : memref<4xf32>
  return
}
