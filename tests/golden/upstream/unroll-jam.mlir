// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-loop-unroll-jam{unroll-jam-factor=2})' %s | golden
func.func @rows(%n: index, %a: memref<?x8xf32>, %zero: f32) {
  affine.for %i = 0 to 64 {
    %r = affine.for %j = 0 to 7 iter_args(%s = %zero) -> f32 {
      %x = affine.load %a[%i, %j] : memref<?x8xf32>
      %t = arith.addf %s, %x : f32
      affine.yield %t : f32
    }
    affine.store %r, %a[%i, 7] : memref<?x8xf32>
  }
  return
}
