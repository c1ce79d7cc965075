// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(stage-stencils{arch=sm_90 tile-sizes=8,32,1 least-blocks=0}),canonicalize,cse)' %s | golden
func.func @smooth(%a: memref<66x98xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %b: memref<66x98xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 1) to (65, 97) {
      %n = affine.load %a[%i - 1, %j] : memref<66x98xf32>
      %s = affine.load %a[%i + 1, %j] : memref<66x98xf32>
      %w = affine.load %a[%i, %j - 1] : memref<66x98xf32>
      %e = affine.load %a[%i, %j + 1] : memref<66x98xf32>
      %0 = arith.addf %n, %s : f32
      %1 = arith.addf %w, %e : f32
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %b[%i, %j] : memref<66x98xf32>
    } {offload.schedule = []}
  }
  return
}
