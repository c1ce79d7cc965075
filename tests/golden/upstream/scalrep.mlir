// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --affine-scalrep %s | golden
func.func @smooth(%v: memref<64xf32>, %r: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  affine.for %i = 1 to 63 {
    %a = affine.load %v[%i - 1] : memref<64xf32>
    %b = affine.load %v[%i + 1] : memref<64xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %t[%i] : memref<64xf32>
    affine.store %a, %r[%i] : memref<64xf32>
    affine.for %j = 0 to 4 {
      %x = affine.load %t[%i] : memref<64xf32>
      affine.store %x, %r[%i] : memref<64xf32>
    }
    %y = affine.load %t[%i] : memref<64xf32>
    affine.store %y, %r[%i] : memref<64xf32>
    affine.store %b, %r[%i] : memref<64xf32>
  }
  return
}
