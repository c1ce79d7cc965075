// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(scf-parallel-loop-tiling{parallel-loop-tile-sizes=16})' %s | golden
func.func @fill(%lo: index, %hi: index, %step: index, %a: memref<?xf32>, %v: f32) {
  scf.parallel (%i) = (%lo) to (%hi) step (%step) {
    memref.store %v, %a[%i] : memref<?xf32>
    scf.reduce
  }
  return
}
