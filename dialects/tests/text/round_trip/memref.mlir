#map = affine_map<(d0)[s0] -> (d0 + s0)>
module {
  memref.global "private" constant @table : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> {alignment = 8 : i64}
  memref.global @scratch : memref<2x3xi32, #gpu.address_space<workgroup>> = uninitialized
  memref.global "private" @elsewhere : memref<f32>
  func.func @f(%arg0: memref<?x4xf32>, %arg1: index, %arg2: f32, %arg3: memref<2048xi8>, %arg4: memref<*xf32>, %arg5: memref<8xi32>, %arg6: i32) {
    %alloc = memref.alloc(%arg1) {alignment = 8 : i64} : memref<?x4xf32>
    %alloc_0 = memref.alloc()[%arg1] : memref<4xf32, #map>
    %alloca = memref.alloca() : memref<4x4xf64, 5>
    %0 = memref.load %arg0[%arg1, %arg1] : memref<?x4xf32>
    %1 = memref.load %arg0[%arg1, %arg1] {nontemporal = true} : memref<?x4xf32>
    memref.store %arg2, %arg0[%arg1, %arg1] : memref<?x4xf32>
    %2 = memref.atomic_rmw addf %arg2, %arg0[%arg1, %arg1] : (f32, memref<?x4xf32>) -> f32
    %3 = memref.atomic_rmw maxs %arg6, %arg5[%arg1] : (i32, memref<8xi32>) -> i32
    %4 = memref.generic_atomic_rmw %arg0[%arg1, %arg1] : memref<?x4xf32> {
    ^bb0(%arg7: f32):
      %9 = arith.mulf %arg7, %arg2 : f32
      memref.atomic_yield %9 : f32
    }
    %subview = memref.subview %arg0[%arg1, 0] [4, 2] [1, 1] : memref<?x4xf32> to memref<4x2xf32, strided<[4, 1], offset: ?>>
    %subview_1 = memref.subview %arg0[2, 1] [1, %arg1] [1, 2] : memref<?x4xf32> to memref<?xf32, strided<[2], offset: 9>>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%arg1], sizes: [%arg1, 2], strides: [%arg1, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[?, 1], offset: ?>>
    %expand_shape = memref.expand_shape %arg0 [[0, 1], [2]] output_shape [%arg1, 2, 4] : memref<?x4xf32> into memref<?x2x4xf32>
    %collapse_shape = memref.collapse_shape %arg0 [[0, 1]] : memref<?x4xf32> into memref<?xf32>
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<?x4xf32> -> index
    memref.prefetch %arg0[%arg1, %arg1], write, locality<0>, instr : memref<?x4xf32>
    %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
    memref.assume_alignment %arg0, 16 : memref<?x4xf32>
    %view = memref.view %arg3[%arg1][%arg1] : memref<2048xi8> to memref<?xf32>
    %5 = memref.realloc %collapse_shape(%arg1) : memref<?xf32> to memref<?xf32>
    %6 = memref.realloc %5 : memref<?xf32> to memref<8xf32>
    %dim = memref.dim %arg4, %arg1 : memref<*xf32>
    %7 = memref.rank %arg4 : memref<*xf32>
    %cast = memref.cast %arg4 : memref<*xf32> to memref<?x?xf32>
    %cast_2 = memref.cast %arg0 : memref<?x4xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %memspacecast = memref.memory_space_cast %arg0 : memref<?x4xf32> to memref<?x4xf32, #gpu.address_space<global>>
    %8 = memref.get_global @table : memref<2xf32>
    memref.copy %arg0, %alloc : memref<?x4xf32> to memref<?x4xf32>
    memref.dealloc %alloc : memref<?x4xf32>
    return
  }
}

