// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(persist-loops{arch=sm_90 blocks=132 threads=256 most-iterations=400000}),canonicalize,cse)' %s | golden
func.func @smooth(%steps: index, %n: index, %a: memref<?xf32> {offload.name = "a", offload.map = "copy", offload.storage = "restrict"},
                  %b: memref<?xf32> {offload.name = "b", offload.map = "copy", offload.storage = "restrict"}) {
  offload.region kernels {
    affine.for %t = 0 to %steps {
      affine.parallel (%i) = (1) to (symbol(%n)) {
        %w = affine.load %a[%i - 1] : memref<?xf32>
        %e = affine.load %a[%i] : memref<?xf32>
        %0 = arith.addf %w, %e : f32
        affine.store %0, %b[%i] : memref<?xf32>
      } {offload.schedule = []}
      affine.parallel (%i) = (1) to (symbol(%n)) {
        %m = affine.load %b[%i] : memref<?xf32>
        affine.store %m, %a[%i] : memref<?xf32>
      } {offload.schedule = []}
    }
  }
  return
}
