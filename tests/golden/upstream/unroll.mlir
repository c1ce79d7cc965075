// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(affine-loop-unroll{unroll-factor=2})' %s | golden
func.func @sum(%n: index, %a: memref<?xf32>, %zero: f32) -> f32 {
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> f32 {
    %x = affine.load %a[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    affine.yield %t : f32
  }
  return %r : f32
}
