// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(convert-scf-to-cf)' %s | golden
func.func @count(%n: index, %a: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %a[%i] : memref<?xf32>
  }
  return
}
