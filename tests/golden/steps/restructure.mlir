// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --restructure --canonicalize %s | golden
func.func @trisolv(%n: index, %l: memref<?x?xf32> {offload.storage = "exclusive"},
                   %x: memref<?xf32> {offload.storage = "exclusive"},
                   %b: memref<?xf32> {offload.storage = "exclusive"}) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      %0 = affine.load %b[%i] : memref<?xf32>
      affine.store %0, %x[%i] : memref<?xf32>
      affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
        %1 = affine.load %l[%i, %j] : memref<?x?xf32>
        %2 = affine.load %x[%j] : memref<?xf32>
        %3 = arith.mulf %1, %2 : f32
        %4 = affine.load %x[%i] : memref<?xf32>
        %5 = arith.subf %4, %3 : f32
        affine.store %5, %x[%i] : memref<?xf32>
      }
      %6 = affine.load %x[%i] : memref<?xf32>
      %7 = affine.load %l[%i, %i] : memref<?x?xf32>
      %8 = arith.divf %6, %7 : f32
      affine.store %8, %x[%i] : memref<?xf32>
    }
  }
  return
}
