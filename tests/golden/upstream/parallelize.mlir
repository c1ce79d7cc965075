// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-parallelize)' %s | golden
func.func @rows(%n: index, %a: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %n {
      %x = affine.load %a[%i, %j - 1] : memref<?x?xf32>
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
