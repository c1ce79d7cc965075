// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-loop-normalize)' %s | golden
func.func @some(%n: index, %a: memref<?xf32>, %v: f32) {
  affine.for %i = 2 to %n step 32 {
    affine.store %v, %a[%i] : memref<?xf32>
  }
  return
}
