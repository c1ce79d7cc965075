module {
  func.func @f(%arg0: memref<8x8xf32>, %arg1: memref<8x8xf32, 2>, %arg2: memref<1xi32>, %arg3: index, %arg4: memref<2xindex>) {
    scf.forall (%arg5, %arg6) in (8, %arg3) {
      memref.store %arg5, %arg4[%arg6] : memref<2xindex>
    } {mapping = [#gpu.block<x>, #gpu.block<y>]}
    scf.forall (%arg5) = (1) to (%arg3) step (2) {
    }
    affine.for %arg5 = 0 to 8 {
      affine.dma_start %arg0[%arg5, symbol(%arg3) + 1], %arg1[%arg5 mod 2, 0], %arg2[0], %arg3 : memref<8x8xf32>, memref<8x8xf32, 2>, memref<1xi32>
      affine.dma_start %arg0[%arg5, 0], %arg1[0, 0], %arg2[0], %arg3, %arg3, %arg3 : memref<8x8xf32>, memref<8x8xf32, 2>, memref<1xi32>
      affine.dma_wait %arg2[0], %arg3 : memref<1xi32>
    }
    %reshape = memref.reshape %arg0(%arg4) : (memref<8x8xf32>, memref<2xindex>) -> memref<?x?xf32>
    %alloc = memref.alloc() : memref<f32>
    %expand_shape = memref.expand_shape %alloc [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
    %collapse_shape = memref.collapse_shape %expand_shape [] : memref<1x1xf32> into memref<f32>
    return
  }
}
