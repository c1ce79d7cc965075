func.func @vectors(%f: f32, %g: f32, %v: vector<4xf32>) -> (f32, f32, f32, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %c = arith.constant 2.0 : f32
  %b = vector.broadcast %f : f32 to vector<4xf32>
  %0 = vector.extract %b[2] : f32 from vector<4xf32>
  %i = vector.insert %f, %v [1] : f32 into vector<4xf32>
  %1 = vector.extract %i[1] : f32 from vector<4xf32>
  %2 = vector.extract %i[2] : f32 from vector<4xf32>
  %3 = vector.broadcast %c : f32 to vector<4xf32>
  %4 = vector.broadcast %v : vector<4xf32> to vector<4xf32>
  %s = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
  %5 = vector.shape_cast %s : vector<2x2xf32> to vector<4xf32>
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, vector<4xf32>, vector<4xf32>, vector<4xf32>
}
// becomes
module {
  func.func @vectors(%arg0: f32, %arg1: f32, %arg2: vector<4xf32>) -> (f32, f32, f32, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
    %cst = arith.constant dense<2.000000e+00> : vector<4xf32>
    %0 = vector.extract %arg2[2] : f32 from vector<4xf32>
    return %arg0, %arg0, %0, %cst, %arg2, %arg2 : f32, f32, f32, vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
}
