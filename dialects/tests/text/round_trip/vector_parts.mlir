#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @f(%arg0: memref<?x4xf32>, %arg1: index, %arg2: f32, %arg3: vector<4xf32>, %arg4: vector<4xi1>, %arg5: vector<2x4xi32>, %arg6: vector<4xindex>, %arg7: vector<2x3xf32>, %arg8: vector<3x4xf32>, %arg9: vector<2x4xf32>) {
    %0 = vector.constant_mask [1, 3] : vector<2x4xi1>
    %1 = vector.create_mask %arg1, %arg1 : vector<2x4xi1>
    %2 = vector.step : vector<4xindex>
    %vscale = vector.vscale
    %3 = vector.transpose %arg5, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
    %4 = vector.extract_strided_slice %arg5 {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x4xi32> to vector<2x2xi32>
    %5 = vector.insert_strided_slice %4, %arg5 {offsets = [0, 2], strides = [1, 1]} : vector<2x2xi32> into vector<2x4xi32>
    %6 = vector.from_elements %arg2, %arg2 : vector<2xf32>
    %7 = vector.interleave %arg3, %arg3 : vector<4xf32> -> vector<8xf32>
    %res1, %res2 = vector.deinterleave %arg3 : vector<4xf32> -> vector<2xf32>
    %8 = vector.maskedload %arg0[%arg1, %arg1], %arg4, %arg3 : memref<?x4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.maskedstore %arg0[%arg1, %arg1], %arg4, %arg3 : memref<?x4xf32>, vector<4xi1>, vector<4xf32>
    %9 = vector.gather %arg0[%arg1, %arg1] [%arg6], %arg4, %arg3 : memref<?x4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.scatter %arg0[%arg1, %arg1] [%arg6], %arg4, %arg3 : memref<?x4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    %10 = vector.expandload %arg0[%arg1, %arg1], %arg4, %arg3 : memref<?x4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.compressstore %arg0[%arg1, %arg1], %arg4, %arg3 : memref<?x4xf32>, vector<4xi1>, vector<4xf32>
    %11 = vector.multi_reduction <add>, %arg7, %arg2 [0, 1] : vector<2x3xf32> to f32
    %dest, %accumulated_value = vector.scan <mul>, %arg9, %arg3 {inclusive = true, reduction_dim = 0 : i64} : vector<2x4xf32>, vector<4xf32>
    %12 = vector.outerproduct %6, %arg3, %arg9 {kind = #vector.kind<maxnumf>} : vector<2xf32>, vector<4xf32>
    %13 = vector.outerproduct %arg3, %arg2 : vector<4xf32>, f32
    %14 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %arg7, %arg8, %arg9 : vector<2x3xf32>, vector<3x4xf32> into vector<2x4xf32>
    return
  }
}

