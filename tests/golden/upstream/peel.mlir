// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(scf-for-loop-peeling)' %s | golden
func.func @fill(%lo: index, %hi: index, %step: index, %a: memref<?xi32>) {
  scf.for %i = %lo to %hi step %step {
    %n = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %hi)[%step]
    %v = arith.index_cast %n : index to i32
    memref.store %v, %a[%i] : memref<?xi32>
  }
  return
}
