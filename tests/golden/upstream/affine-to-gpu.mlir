// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(convert-affine-for-to-gpu))' %s | golden
func.func @copy(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 2 to 32 step 3 {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      memref.store %x, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
