// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(block-time{tile-sizes=2,16,32,2 least-blocks=1}),canonicalize,cse)' %s | golden
func.func @star(%steps: index, %a: memref<66x98xf32> {offload.name = "a", offload.map = "copy", offload.storage = "restrict"},
                %b: memref<66x98xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %steps step %c1 {
    offload.region kernels {
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
    offload.region kernels {
      affine.parallel (%i, %j) = (1, 1) to (65, 97) {
        %m = affine.load %b[%i, %j] : memref<66x98xf32>
        affine.store %m, %a[%i, %j] : memref<66x98xf32>
      } {offload.schedule = []}
    }
  } {offload.host_loop}
  return
}
