// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(stage-transposes{arch=sm_90}),canonicalize,cse)' %s | golden
func.func @transpose(%a: memref<64x96xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                     %b: memref<96x64xf32> {offload.name = "b", offload.map = "copyout", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (64, 96) {
      %x = affine.load %a[%i, %j] : memref<64x96xf32>
      %y = arith.negf %x : f32
      affine.store %y, %b[%j, %i] : memref<96x64xf32>
    } {offload.schedule = []}
  }
  return
}
