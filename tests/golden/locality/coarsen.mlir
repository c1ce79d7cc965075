// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(coarsen-threads{factor=2 least-threads=0}),canonicalize,cse)' %s | golden
func.func @column(%a: memref<66x64xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                  %b: memref<66x64xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j) = (1, 0) to (65, 64) {
      %n = affine.load %a[%i - 1, %j] : memref<66x64xf32>
      %m = affine.load %a[%i, %j] : memref<66x64xf32>
      %s = affine.load %a[%i + 1, %j] : memref<66x64xf32>
      %0 = arith.addf %n, %m : f32
      %1 = arith.addf %0, %s : f32
      affine.store %1, %b[%i, %j] : memref<66x64xf32>
    } {offload.schedule = []}
  }
  return
}
