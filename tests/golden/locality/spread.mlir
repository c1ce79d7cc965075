// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-reductions{arch=sm_90 width=8}),canonicalize,cse)' %s | golden
func.func @product(%m: index, %n: index,
                   %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %x: memref<?xf32> {offload.name = "x", offload.map = "copyin", offload.storage = "restrict"},
                   %y: memref<?xf32> {offload.name = "y", offload.map = "copyout", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i) = (0) to (symbol(%m)) {
      %sum = affine.for %j = 0 to %n iter_args(%s = %zero) -> (f32) {
        %v = affine.load %a[%i, %j] : memref<?x?xf32>
        %w = affine.load %x[%j] : memref<?xf32>
        %p = arith.mulf %v, %w : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    } {offload.schedule = []}
  }
  return
}
