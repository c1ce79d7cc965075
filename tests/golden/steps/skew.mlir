// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-loop-skew{wavefront=true},canonicalize)' %s | golden
func.func @recurrence(%n: index, %a: memref<?x?xf32>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %x = affine.load %a[%i - 1, %j] : memref<?x?xf32>
      %y = affine.load %a[%i, %j - 1] : memref<?x?xf32>
      %z = arith.addf %x, %y : f32
      affine.store %z, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
