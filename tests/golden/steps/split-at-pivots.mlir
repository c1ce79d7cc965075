// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --split-at-pivots --canonicalize %s | golden
func.func @paths(%n: index, %d: memref<?x?xi32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %k = 0 to %n {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          %0 = affine.load %d[%i, %k] : memref<?x?xi32>
          %1 = affine.load %d[%k, %j] : memref<?x?xi32>
          %2 = arith.addi %0, %1 : i32
          %3 = affine.load %d[%i, %j] : memref<?x?xi32>
          %4 = arith.minsi %2, %3 : i32
          affine.store %4, %d[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}
