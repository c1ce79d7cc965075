// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(march-stencils{tile-sizes=16,4,32,1 least-blocks=1}),canonicalize,cse)' %s | golden
func.func @axes(%a: memref<66x66x66xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
                %b: memref<66x66x66xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region parallel {
    affine.parallel (%i, %j, %k) = (1, 1, 1) to (65, 65, 65) {
      %u = affine.load %a[%i - 1, %j, %k] : memref<66x66x66xf32>
      %d = affine.load %a[%i + 1, %j, %k] : memref<66x66x66xf32>
      %n = affine.load %a[%i, %j - 1, %k] : memref<66x66x66xf32>
      %s = affine.load %a[%i, %j + 1, %k] : memref<66x66x66xf32>
      %m = affine.load %a[%i, %j, %k] : memref<66x66x66xf32>
      %0 = arith.addf %u, %d : f32
      %1 = arith.addf %n, %s : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.addf %2, %m : f32
      affine.store %3, %b[%i, %j, %k] : memref<66x66x66xf32>
    } {offload.schedule = []}
  }
  return
}
