// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-expand-index-ops)' %s | golden
func.func @three(%i: index) -> (index, index, index) {
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  %0:3 = affine.delinearize_index %i into (%c7, %c5, %c7) : index, index, index
  return %0#0, %0#1, %0#2 : index, index, index
}
