// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(scf-parallel-loop-specialization)' %s | golden
func.func @fill(%n: index, %a: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = affine.min affine_map<()[s0] -> (64, s0)>()[%n]
  scf.parallel (%i) = (%c0) to (%end) step (%c1) {
    memref.store %v, %a[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
