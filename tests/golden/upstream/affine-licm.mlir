// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --affine-loop-invariant-code-motion %s | golden
func.func @sums(%n: index, %v: memref<64xf32>) {
  %t = memref.alloc() : memref<1xf32>
  %s = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[0] : memref<1xf32>
      %y = affine.load %v[%i] : memref<64xf32>
      %z = arith.addf %x, %y : f32
      affine.store %z, %s[%j] : memref<64xf32>
    }
  }
  return
}
