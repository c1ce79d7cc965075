// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-loop-tile{tile-sizes=16,8})' %s | golden
func.func @copy(%n: index, %a: memref<?x64xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 {
      affine.store %v, %a[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
