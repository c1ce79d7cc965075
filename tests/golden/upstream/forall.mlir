// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --scf-forall-to-parallel %s | golden
func.func @fill(%n: index, %a: memref<?x?xf32>, %v: f32) {
  scf.forall (%i, %j) = (0, 1) to (%n, 32) step (1, 4) {
    memref.store %v, %a[%i, %j] : memref<?x?xf32>
  }
  return
}
