// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-privatize --canonicalize %s | golden
func.func @rows(%n: index, %a: memref<64x64xf32> {offload.storage = "exclusive"},
                %sum: memref<64xf32> {offload.storage = "exclusive", offload.name = "sum"}, %f: f32) {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to 64 {
        affine.store %f, %sum[%k] : memref<64xf32>
      }
      affine.for %k = 0 to 64 {
        %0 = affine.load %sum[%k] : memref<64xf32>
        affine.store %0, %a[%i, %k] : memref<64x64xf32>
      }
    }
  }
  return
}
