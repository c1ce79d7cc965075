// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-loop-distribute --canonicalize %s | golden
func.func @bicg(%n: index, %a: memref<64x64xf32> {offload.storage = "exclusive"},
                %s: memref<64xf32> {offload.storage = "exclusive"},
                %q: memref<64xf32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<64x64xf32>
      %0 = affine.load %s[%j] : memref<64xf32>
      %1 = arith.addf %0, %x : f32
      affine.store %1, %s[%j] : memref<64xf32>
      %2 = affine.load %q[%i] : memref<64xf32>
      %3 = arith.addf %2, %x : f32
      affine.store %3, %q[%i] : memref<64xf32>
    }
  }
  return
}
