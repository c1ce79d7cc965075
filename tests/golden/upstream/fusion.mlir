// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --affine-loop-fusion %s | golden
func.func @blurred(%in: memref<64xf32>, %out: memref<62xf32> {offload.storage = "exclusive"}) {
  %row = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %x = affine.load %in[%i] : memref<64xf32>
    %y = arith.mulf %x, %x : f32
    affine.store %y, %row[%i] : memref<64xf32>
  }
  affine.for %t = 0 to 8 {
    affine.for %i = 0 to 8 {
      %x = affine.load %row[%t * 8 + %i] : memref<64xf32>
      affine.store %x, %out[%t * 7 + %i] : memref<62xf32>
    }
  }
  return
}
