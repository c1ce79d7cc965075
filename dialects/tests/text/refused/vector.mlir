// refused: 'vector.load' op requires 1 indices
func.func @f(%n: index, %m: memref<4xf32>) {
  %0 = vector.load %m[%n, %n] : memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.load' op base and result element types should match
func.func @f(%n: index, %m: memref<4xf32>) {
  %0 = vector.load %m[%n] : memref<4xf32>, vector<4xi32>
  return
}
// -----
// refused: 'vector.load' op most minor memref dim must have unit stride
func.func @f(%n: index, %m: memref<4xf32, strided<[2]>>) {
  %0 = vector.load %m[%n] : memref<4xf32, strided<[2]>>, vector<4xf32>
  return
}
// -----
// refused: 'vector.store' op requires 1 indices
func.func @f(%n: index, %m: memref<4xf32>, %v: vector<4xf32>) {
  vector.store %v, %m[%n, %n] : memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.store' op base and valueToStore element type should match
func.func @f(%n: index, %m: memref<4xf32>, %v: vector<4xi32>) {
  vector.store %v, %m[%n] : memref<4xf32>, vector<4xi32>
  return
}
// -----
// refused: 'vector.store' op most minor memref dim must have unit stride
func.func @f(%n: index, %m: memref<4xf32, strided<[2]>>, %v: vector<4xf32>) {
  vector.store %v, %m[%n] : memref<4xf32, strided<[2]>>, vector<4xf32>
  return
}
// -----
// refused: 'vector.broadcast' op failed to verify that source operand and result have same element type
func.func @f(%n: i32) { %0 = vector.broadcast %n : i32 to vector<4xf32> return }
// -----
// refused: 'vector.broadcast' op dimension mismatch (3 vs. 4)
func.func @f(%v: vector<3xf32>) { %0 = vector.broadcast %v : vector<3xf32> to vector<4xf32> return }
// -----
// refused: 'vector.broadcast' op source rank higher than destination rank
func.func @f(%v: vector<3x4xf32>) {
  %0 = vector.broadcast %v : vector<3x4xf32> to vector<4xf32>
  return
}
// -----
// refused: 'vector.extract' op expected position attribute #1 to be a non-negative integer smaller than the corresponding vector dimension
func.func @f(%v: vector<4xf32>) { %0 = vector.extract %v[4] : f32 from vector<4xf32> return }
// -----
// refused: 'vector.extract' op expected position attribute of rank no greater than vector rank
func.func @f(%v: vector<4xf32>) { %0 = vector.extract %v[0, 1] : f32 from vector<4xf32> return }
// -----
// refused: 'vector.extract' op inferred type(s) 'vector<4xf32>' are incompatible with return type(s) of operation 'f32'
func.func @f(%v: vector<4x4xf32>) {
  %0 = "vector.extract"(%v) {static_position = array<i64: 1>} : (vector<4x4xf32>) -> f32
  return
}
// -----
// refused: 'vector.insert' op expected position attribute #1 to be a non-negative integer smaller than the corresponding dest vector dimension
func.func @f(%v: vector<4xf32>, %f: f32) {
  %0 = vector.insert %f, %v[4] : f32 into vector<4xf32>
  return
}
// -----
// refused: 'vector.insert' op expected position attribute of rank no greater than dest vector rank
func.func @f(%v: vector<4xf32>, %f: f32) {
  %0 = vector.insert %f, %v[0, 0] : f32 into vector<4xf32>
  return
}
// -----
// refused: 'vector.insert' op expected position attribute rank to match the dest vector rank
func.func @f(%v: vector<4x4xf32>, %f: f32) {
  %0 = vector.insert %f, %v[0] : f32 into vector<4x4xf32>
  return
}
// -----
// refused: 'vector.extractelement' op unexpected >1 vector rank
func.func @f(%v: vector<4x4xf32>, %i: i32) {
  %0 = vector.extractelement %v[%i: i32] : vector<4x4xf32>
  return
}
// -----
// refused: 'vector.extractelement' op expected position for 1-D vector
func.func @f(%v: vector<4xf32>) { %0 = vector.extractelement %v[] : vector<4xf32> return }
// -----
// refused: 'vector.extractelement' op expected position to be empty with 0-D vector
func.func @f(%v: vector<f32>, %i: i32) {
  %0 = vector.extractelement %v[%i: i32] : vector<f32>
  return
}
// -----
// refused: 'vector.insertelement' op expected position for 1-D vector
func.func @f(%v: vector<4xf32>, %f: f32) {
  %0 = vector.insertelement %f, %v[] : vector<4xf32>
  return
}
// -----
// refused: 'vector.insertelement' op unexpected >1 vector rank
func.func @f(%v: vector<4x4xf32>, %f: f32, %i: i32) {
  %0 = vector.insertelement %f, %v[%i: i32] : vector<4x4xf32>
  return
}
// -----
// refused: 'vector.shuffle' op mask index #1 out of range
func.func @f(%v: vector<4xf32>) {
  %0 = vector.shuffle %v, %v [8] : vector<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.shuffle' op invalid mask length
func.func @f(%v: vector<4xf32>) {
  %0 = vector.shuffle %v, %v [] : vector<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.shuffle' op dimension mismatch
func.func @f(%v: vector<4x3xf32>, %w: vector<4x2xf32>) {
  %0 = vector.shuffle %v, %w [0] : vector<4x3xf32>, vector<4x2xf32>
  return
}
// -----
// refused: 'vector.shuffle' op rank mismatch
func.func @f(%v: vector<4xf32>, %w: vector<4x2xf32>) {
  %0 = vector.shuffle %v, %w [0] : vector<4xf32>, vector<4x2xf32>
  return
}
// -----
// refused: 'vector.reduction' op unsupported reduction rank: 2
func.func @f(%v: vector<4x4xf32>) {
  %0 = vector.reduction <add>, %v : vector<4x4xf32> into f32
  return
}
// -----
// refused: 'vector.reduction' op unsupported reduction type 'f32' for kind 'and'
func.func @f(%v: vector<4xf32>) { %0 = vector.reduction <and>, %v : vector<4xf32> into f32 return }
// -----
// refused: 'vector.reduction' op failed to verify that source operand and result have same element type
func.func @f(%v: vector<4xf32>) { %0 = vector.reduction <add>, %v : vector<4xf32> into i32 return }
// -----
// refused: 'vector.reduction' op unsupported reduction type 'i32' for kind 'minnumf'
func.func @f(%v: vector<4xi32>) {
  %0 = vector.reduction <minnumf>, %v : vector<4xi32> into i32
  return
}
// -----
// refused: 'vector.shape_cast' op source/result number of elements must match
func.func @f(%v: vector<4xf32>) {
  %0 = vector.shape_cast %v : vector<4xf32> to vector<5xf32>
  return
}
// -----
// refused: 'vector.shape_cast' op source/result vectors must have same element type
func.func @f(%v: vector<4xf32>) {
  %0 = vector.shape_cast %v : vector<4xf32> to vector<4xi32>
  return
}
// -----
// refused: 'vector.bitcast' op source/result bitwidth of the minor 1-D vectors must be equal
func.func @f(%v: vector<4xf32>) { %0 = vector.bitcast %v : vector<4xf32> to vector<3xi32> return }
// -----
// refused: 'vector.bitcast' op dimension size mismatch at: 0
func.func @f(%v: vector<4x2xf32>) {
  %0 = vector.bitcast %v : vector<4x2xf32> to vector<2x4xf32>
  return
}
// -----
// refused: 'vector.bitcast' op failed to verify that all of {source, result} have same rank
func.func @f(%v: vector<4xf32>) { %0 = vector.bitcast %v : vector<4xf32> to vector<2x2xf32> return }
// -----
// refused: 'vector.transfer_read' op requires 1 indices
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n, %n], %f : memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op expects the in_bounds attr of same rank as permutation_map results: affine_map<(d0) -> (d0)> vs inBounds of size: 2
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f {in_bounds = [true, false]} : memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires a permutation_map with input dims of the same rank as the source type
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f {permutation_map = affine_map<(d0, d1)->(d0)>}: memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires a projected permutation_map (at most one dim or the zero constant can appear in each result)
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f {permutation_map = affine_map<(d0)->(d0+1)>}: memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires broadcast dimensions to be in-bounds
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f {permutation_map = affine_map<(d0)->(0)>}: memref<4xf32>, vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires a permutation_map that is a permutation (found one dim used more than once)
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f {permutation_map = affine_map<(d0)->(d0,d0)>}: memref<4xf32>, vector<4x4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires permutation_map without symbols
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = "vector.transfer_read"(%m, %n, %f) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 1, 1, 0>, permutation_map = affine_map<(d0)[s0]->(d0)>}> : (memref<4xf32>, index, f32) -> vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_read' op requires formal padding and source of the same elemental type
func.func @f(%m: memref<4xf32>, %n: index, %f: f64) {
  %0 = "vector.transfer_read"(%m, %n, %f) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 1, 1, 0>, permutation_map = affine_map<(d0)->(d0)>}> : (memref<4xf32>, index, f64) -> vector<4xf32>
  return
}
// -----
// refused: 'vector.transfer_write' op requires 1 indices
func.func @f(%m: memref<4xf32>, %n: index, %f: vector<4xf32>) {
  vector.transfer_write %f, %m[%n, %n] : vector<4xf32>, memref<4xf32>
  return
}
// -----
// refused: 'vector.transfer_write' op should not have broadcast dimensions
func.func @f(%m: memref<4xf32>, %n: index, %f: vector<4xf32>) {
  vector.transfer_write %f, %m[%n] {permutation_map = affine_map<(d0)->(0)>, in_bounds=[true]} : vector<4xf32>, memref<4xf32>
  return
}
// -----
// refused: use of value '%n' expects different type than prior uses: 'f32' vs 'index'
func.func @f(%n: index) { %0 = vector.splat %n : vector<4xf32> return }
// -----
// refused: 'vector.print' op failed to verify that `source` or `punctuation` are not set when printing strings
func.func @f(%f: vector<4xf32>) { vector.print %f : vector<4xf32> str "hi" return }
// -----
// refused here only: 'vector.insert' op expected source of type 'vector<3xf32>' to be the part of 'vector<4x4xf32>' at the position
func.func @f(%v: vector<4x4xf32>, %f: vector<3xf32>) {
  %0 = vector.insert %f, %v[0] : vector<3xf32> into vector<4x4xf32>
  return
}
// -----
// refused here only: 'vector.transfer_read' op requires source and vector of the same elemental type, but got 'f32' and 'i32'
func.func @f(%m: memref<4xf32>, %n: index, %f: f32) {
  %0 = vector.transfer_read %m[%n], %f : memref<4xf32>, vector<4xi32>
  return
}
// -----
// refused: elements hex data size is invalid for provided type
"test.op"() {a = dense<"0x0102"> : vector<1xi0>} : () -> ()
