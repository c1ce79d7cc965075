// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(raise-while,func.func(raise-inductions),canonicalize)' %s | golden
func.func @counts(%n: i32, %a: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %last = scf.while (%i = %c0) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %at = arith.index_cast %i : i32 to index
    memref.store %v, %a[%at] : memref<?xf32>
    %next = arith.addi %i, %c3 overflow<nsw> : i32
    scf.yield %next : i32
  }
  return
}
