// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-expand --canonicalize %s | golden
func.func @sums(%n: index, %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"},
                %y: memref<?xf32> {offload.storage = "exclusive", offload.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  offload.region kernels {
    affine.for %i = 1 to %n {
      %sum = affine.for %j = 0 to %n iter_args(%so_far = %zero) -> (f32) {
        %0 = affine.load %a[%i, %j] : memref<?x?xf32>
        %1 = arith.addf %so_far, %0 : f32
        affine.yield %1 : f32
      }
      %before = affine.load %y[%i - 1] : memref<?xf32>
      %now = arith.addf %before, %sum : f32
      affine.store %now, %y[%i] : memref<?xf32>
    }
  }
  return
}
