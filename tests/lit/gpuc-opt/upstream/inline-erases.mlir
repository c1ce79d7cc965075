// RUN: gpuc-opt %s --inline | FileCheck %s

// Private functions that nothing refers to are erased, whether they were inlined or never called.

// CHECK-NOT: @inlined
// CHECK-NOT: @uncalled
// CHECK-NOT: @by_uncalled
func.func private @inlined() {
  return
}
func.func private @by_uncalled() {
  return
}
func.func private @uncalled() {
  call @by_uncalled() : () -> ()
  return
}

// CHECK: func.func private @kept
func.func private @kept() {
  return
}

// CHECK: func.func @entry
// CHECK-NEXT: "test.refers"() {to = @kept}
// CHECK-NEXT: return
func.func @entry() {
  call @inlined() : () -> ()
  "test.refers"() {to = @kept} : () -> ()
  return
}
