// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --affine-pipeline-data-transfer --canonicalize %s | golden
func.func @tiles(%v: memref<256xf32>) -> memref<256xf32> {
  %r = memref.alloc() : memref<256xf32>
  %tile = memref.alloc() : memref<32xf32, 1>
  %tag = memref.alloc() : memref<1xi32>
  %zero = arith.constant 0 : index
  %count = arith.constant 32 : index
  affine.for %i = 0 to 8 {
    affine.dma_start %v[%i * 32], %tile[%zero], %tag[%zero], %count : memref<256xf32>, memref<32xf32, 1>, memref<1xi32>
    affine.dma_wait %tag[%zero], %count : memref<1xi32>
    affine.for %j = 0 to 32 {
      %x = affine.load %tile[%j] : memref<32xf32, 1>
      affine.store %x, %r[%i * 32 + %j] : memref<256xf32>
    }
  }
  memref.dealloc %tag : memref<1xi32>
  memref.dealloc %tile : memref<32xf32, 1>
  return %r : memref<256xf32>
}
