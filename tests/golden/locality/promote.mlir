// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(promote-elements),mem2reg,canonicalize)' %s | golden
func.func @sum(%n: index, %a: memref<?x?xf32> {offload.name = "a", offload.map = "copyin", offload.storage = "restrict"},
               %y: memref<?xf32> {offload.name = "y", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region kernels {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %k] : memref<?x?xf32>
        %s = affine.load %y[%i] : memref<?xf32>
        %t = arith.addf %s, %x : f32
        affine.store %t, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}
