// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-simplify-structures)' %s | golden
func.func @guards(%n: index, %a: memref<64xf32>, %v: f32) {
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 - 4 >= 0, 2 - d0 >= 0)>(%i) {
      affine.store %v, %a[%i] : memref<64xf32>
    }
    affine.if affine_set<(d0)[s0] : (2 * d0 - 2 * s0 >= 0, 3 >= 0)>(%i)[%n] {
      affine.store %v, %a[%i] : memref<64xf32>
    }
  }
  return
}
