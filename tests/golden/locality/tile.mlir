// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(tile-contractions{arch=sm_90 tile-sizes=8,8,4 thread-sizes=2,2 wide=false least-blocks=0}),canonicalize,cse)' %s | golden
func.func @product(%a: memref<64x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                   %b: memref<64x64xf32> {offload.name = "b", offload.map = "copyin", offload.storage = "restrict"},
                   %c: memref<64x64xf32> {offload.name = "c", offload.map = "copy", offload.storage = "restrict"}) {
  %zero = arith.constant 0.0 : f32
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (37, 64) {
      %sum = affine.for %k = 0 to 13 iter_args(%s = %zero) -> (f32) {
        %x = affine.load %a[%i, %k] : memref<64x64xf32>
        %y = affine.load %b[%k, %j] : memref<64x64xf32>
        %p = arith.mulf %x, %y : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<64x64xf32>
    } {offload.schedule = []}
  }
  return
}
