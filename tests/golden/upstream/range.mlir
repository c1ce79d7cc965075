// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(scf-for-loop-range-folding)' %s | golden
func.func @every_fourth(%n: index, %a: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.muli %i, %c4 : index
    memref.store %v, %a[%j] : memref<?xf32>
  }
  return
}
