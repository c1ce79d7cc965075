// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-split --canonicalize %s | golden
func.func @norm(%n: index, %x: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        %0 = affine.load %x[%i] : memref<?xf32>
        %1 = affine.load %x[%k] : memref<?xf32>
        %2 = arith.divf %0, %1 : f32
        affine.store %2, %x[%i] : memref<?xf32>
      }
    }
  }
  return
}
