module {
  func.func @w(%arg0: index, %arg1: vector<4xf32>, %arg2: vector<3x4xi1>, %arg3: vector<3x4xf32>, %arg4: memref<3x4xf32>, %arg5: vector<3x4xf32>, %arg6: index, %arg7: vector<3xf32>, %arg8: vector<3x[4]xi1>) {
    %0:2 = vector.warp_execute_on_lane_0(%arg0)[32] args(%arg1 : vector<4xf32>) -> (vector<4xf32>, f32) {
    ^bb0(%arg9: vector<128xf32>):
      %cst_0 = arith.constant 1.000000e+00 : f32
      vector.yield %arg9, %cst_0 : vector<128xf32>, f32
    }
    vector.warp_execute_on_lane_0(%arg0)[32] {
    }
    vector.mask %arg2 { vector.transfer_write %arg3, %arg4[%arg6, %arg6] {in_bounds = [true, true]} : vector<3x4xf32>, memref<3x4xf32> } : vector<3x4xi1>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = vector.mask %arg2, %arg5 { vector.transfer_read %arg4[%arg6, %arg6], %cst : memref<3x4xf32>, vector<3x4xf32> } : vector<3x4xi1> -> vector<3x4xf32>
    %2 = vector.mask %arg2 { vector.multi_reduction <add>, %arg3, %arg7 [1] : vector<3x4xf32> to vector<3xf32> } {foo} : vector<3x4xi1> -> vector<3xf32>
    vector.mask %arg2 { vector.yield } : vector<3x4xi1>
    %3 = vector.mask %arg2 { arith.addf %arg3, %arg5 : vector<3x4xf32> } : vector<3x4xi1> -> vector<3x4xf32>
    %4 = vector.type_cast %arg4 : memref<3x4xf32> to memref<vector<3x4xf32>>
    %5 = vector.transfer_read %arg4[%arg6, %arg6], %cst, %arg8 {in_bounds = [true, true]} : memref<3x4xf32>, vector<3x[4]xf32>
    return
  }
}

