// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-relayout='array=a last=0 factors=1' --canonicalize %s | golden
func.func @sweeps(%steps: index, %n: index,
                  %a: memref<?x?xf32> {offload.storage = "exclusive", offload.name = "a"}) {
  offload.region kernels {
    affine.for %t = 0 to %steps {
      affine.for %i = 1 to %n {
        affine.for %j = 1 to %n {
          %x = affine.load %a[%i - 1, %j] : memref<?x?xf32>
          %y = affine.load %a[%i, %j - 1] : memref<?x?xf32>
          %z = arith.addf %x, %y : f32
          affine.store %z, %a[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
