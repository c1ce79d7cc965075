#map = affine_map<(d0)[s0] -> (d0, s0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 1, s0 floordiv 2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0)[s0] -> (d0, s0 + 4)>
#map4 = affine_map<(d0, d1) -> (d0 ceildiv 3, d1)>
#map5 = affine_map<(d0)[s0] -> (d0 + s0 + 4)>
#set = affine_set<(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 == 0)>
#set1 = affine_set<(d0) : (d0 - 1 >= 0)>
#set2 = affine_set<(d0) : (-d0 + 4 >= 0)>
module {
  func.func @loops(%arg0: memref<?x4xf32>, %arg1: index, %arg2: f32) -> f32 {
    affine.for %arg3 = max #map(%arg1)[%arg1] to %arg1 step 2 {
      affine.for %arg4 = 0 to min #map1(%arg3)[%arg1] {
        affine.store %arg2, %arg0[%arg3 + 1, %arg4 mod 4] : memref<?x4xf32>
      }
      affine.for %arg4 = #map2(%arg3) to 10 {
      }
    }
    %0:2 = affine.for %arg3 = -3 to 10 iter_args(%arg4 = %arg2, %arg5 = %arg1) -> (f32, index) {
      %1 = arith.addf %arg4, %arg2 : f32
      affine.yield %1, %arg3 : f32, index
    }
    return %0#0 : f32
  }
  func.func @accesses(%arg0: memref<?x4xf32>, %arg1: index, %arg2: f32, %arg3: memref<f32>) {
    affine.for %arg4 = 0 to 100 {
      %0 = affine.load %arg0[%arg4 * 3 + symbol(%arg1), symbol(%arg1)] : memref<?x4xf32>
      affine.store %0, %arg3[] : memref<f32>
      %1 = affine.vector_load %arg0[%arg4, 0] : memref<?x4xf32>, vector<4xf32>
      affine.vector_store %1, %arg0[%arg4 - 1, 0] : memref<?x4xf32>, vector<4xf32>
      affine.prefetch %arg0[%arg4, 0], read, locality<3>, data : memref<?x4xf32>
      %2 = affine.min #map3(%arg4)[%arg1]
      %3 = affine.max #map4(%arg4, %arg4)
      %4 = affine.apply #map5(%arg4)[%arg1]
      %5:2 = affine.delinearize_index %arg1 into (%arg1, %arg1) : index, index
    }
    return
  }
  func.func @conditions(%arg0: index, %arg1: f32) {
    affine.for %arg2 = 0 to 8 {
      affine.if #set(%arg2)[%arg0] {
        "test.op"(%arg2) : (index) -> ()
      }
      affine.if #set1(%arg2) {
        "test.op"(%arg2) : (index) -> ()
      } else {
        "test.other"(%arg2) : (index) -> ()
      }
      %0:2 = affine.if #set2(%arg2) -> (f32, index) {
        affine.yield %arg1, %arg2 : f32, index
      } else {
        affine.yield %arg1, %arg0 : f32, index
      }
    }
    return
  }
  func.func @nests(%arg0: index, %arg1: f32) -> f32 {
    affine.parallel (%arg2, %arg3) = (0, max(%arg0, 1)) to (10, min(%arg0, 5)) step (1, 2) {
      "test.op"(%arg2, %arg3) : (index, index) -> ()
    }
    affine.parallel (%arg2) = (symbol(%arg0)) to (symbol(%arg0) * 2) {
    }
    %0:2 = affine.parallel (%arg2, %arg3) = (0, 0) to (10, 5) reduce ("addf", "maximumf") -> (f32, f32) {
      affine.yield %arg1, %arg1 : f32, f32
    }
    return %0#0 : f32
  }
}

