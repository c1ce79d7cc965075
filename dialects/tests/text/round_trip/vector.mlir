#map = affine_map<(d0, d1) -> (0, d0)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @f(%arg0: memref<?x4xf32>, %arg1: index, %arg2: f32, %arg3: i32, %arg4: vector<4xf32>, %arg5: vector<4xi1>, %arg6: vector<2x4xi32>, %arg7: vector<f32>) {
    %0 = vector.load %arg0[%arg1, %arg1] : memref<?x4xf32>, vector<4xf32>
    vector.store %0, %arg0[%arg1, %arg1] {nontemporal = true} : memref<?x4xf32>, vector<4xf32>
    %1 = vector.broadcast %arg2 : f32 to vector<4xf32>
    %2 = vector.broadcast %arg4 : vector<4xf32> to vector<2x4xf32>
    %3 = vector.extract %arg4[1] : f32 from vector<4xf32>
    %4 = vector.extract %arg6[%arg1] : vector<4xi32> from vector<2x4xi32>
    %5 = vector.extract %arg6[1, %arg1] : i32 from vector<2x4xi32>
    %6 = vector.extractelement %arg4[%arg3 : i32] : vector<4xf32>
    %7 = vector.extractelement %arg7[] : vector<f32>
    %8 = vector.insert %arg2, %arg4 [1] : f32 into vector<4xf32>
    %9 = vector.insert %4, %arg6 [%arg1] : vector<4xi32> into vector<2x4xi32>
    %10 = vector.insertelement %arg2, %arg4[%arg1 : index] : vector<4xf32>
    %11 = vector.shuffle %arg4, %arg4 [0, 5, 2] : vector<4xf32>, vector<4xf32>
    %12 = vector.splat %arg2 : vector<4xf32>
    %13 = vector.fma %arg4, %arg4, %arg4 : vector<4xf32>
    %14 = vector.reduction <add>, %arg4, %arg2 fastmath<reassoc> : vector<4xf32> into f32
    %15 = vector.reduction <maxui>, %4 : vector<4xi32> into i32
    %16 = vector.transfer_read %arg0[%arg1, %arg1], %arg2 {in_bounds = [true]} : memref<?x4xf32>, vector<4xf32>
    %17 = vector.transfer_read %arg0[%arg1, %arg1], %arg2, %arg5 : memref<?x4xf32>, vector<4xf32>
    %18 = vector.transfer_read %arg0[%arg1, %arg1], %arg2 {in_bounds = [true, false], permutation_map = #map} : memref<?x4xf32>, vector<2x4xf32>
    vector.transfer_write %arg4, %arg0[%arg1, %arg1] : vector<4xf32>, memref<?x4xf32>
    vector.transfer_write %arg4, %arg0[%arg1, %arg1], %arg5 {permutation_map = #map1} : vector<4xf32>, memref<?x4xf32>
    %19 = vector.shape_cast %arg4 : vector<4xf32> to vector<2x2xf32>
    %20 = vector.bitcast %arg4 : vector<4xf32> to vector<2xf64>
    vector.print %arg4 : vector<4xf32>
    vector.print %arg2 : f32 punctuation <comma>
    vector.print punctuation <open>
    vector.print
    vector.print str "text"
    return
  }
}

