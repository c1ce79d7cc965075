// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-fission --canonicalize %s | golden
func.func @symmetric(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"},
                     %x: memref<?xf32> {offload.storage = "exclusive", offload.name = "x"},
                     %c: memref<?xf32> {offload.storage = "exclusive", offload.name = "c"},
                     %y: memref<?xf32> {offload.storage = "exclusive", offload.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 0 to %n {
      %own = affine.load %x[%i] : memref<?xf32>
      %sum = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %k] : memref<?x?xf32>
        %1 = arith.mulf %0, %own : f32
        %2 = affine.load %c[%k] : memref<?xf32>
        %3 = arith.addf %2, %1 : f32
        affine.store %3, %c[%k] : memref<?xf32>
        %4 = affine.load %x[%k] : memref<?xf32>
        %5 = arith.mulf %0, %4 : f32
        %6 = arith.addf %so_far, %5 : f32
        affine.yield %6 : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}
