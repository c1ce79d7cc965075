// refused: 'vector.transpose' op duplicate position index: 0
func.func @f(%v: vector<4x4xf32>) {
  %0 = vector.transpose %v, [0, 0] : vector<4x4xf32> to vector<4x4xf32>
  return
}
// -----
// refused: 'vector.transpose' op dimension size mismatch at: 1
func.func @f(%v: vector<2x3xf32>) {
  %0 = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<2x3xf32>
  return
}
// -----
// refused: 'vector.extract_strided_slice' op expected sum(offsets, sizes) dimension 0 to be confined to [1, 5)
func.func @f(%v: vector<4x2xf32>) {
  %0 = vector.extract_strided_slice %v {offsets = [3], sizes = [2], strides = [1]} : vector<4x2xf32> to vector<2x2xf32>
  return
}
// -----
// refused: 'vector.insert_strided_slice' op expected strides to be confined to [1, 2)
func.func @f(%v: vector<2xf32>, %w: vector<4xf32>) {
  %0 = vector.insert_strided_slice %v, %w {offsets = [0], strides = [2]} : vector<2xf32> into vector<4xf32>
  return
}
// -----
// refused: 'vector.constant_mask' op expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim
func.func @f() {
  %0 = vector.constant_mask [0, 1] : vector<2x2xi1>
  return
}
// -----
// refused: 'vector.create_mask' op must specify an operand for each result vector dimension
func.func @f(%n: index) {
  %0 = vector.create_mask %n : vector<2x2xi1>
  return
}
// -----
// refused: 'vector.maskedload' op expected result dim to match mask dim
func.func @f(%m: memref<?xf32>, %n: index, %k: vector<3xi1>, %v: vector<4xf32>) {
  %0 = vector.maskedload %m[%n], %k, %v : memref<?xf32>, vector<3xi1>, vector<4xf32> into vector<4xf32>
  return
}
// -----
// refused: 'vector.scatter' op expected valueToStore dim to match indices dim
func.func @f(%m: memref<?xf32>, %n: index, %i: vector<3xi32>, %k: vector<4xi1>, %v: vector<4xf32>) {
  vector.scatter %m[%n][%i], %k, %v : memref<?xf32>, vector<3xi32>, vector<4xi1>, vector<4xf32>
  return
}
// -----
// refused: 'vector.multi_reduction' op destination type 'vector<3xf32>' is incompatible with source type 'vector<2x3xf32>'
func.func @f(%v: vector<2x3xf32>, %a: vector<3xf32>) {
  %0 = vector.multi_reduction <add>, %v, %a [1] : vector<2x3xf32> to vector<3xf32>
  return
}
// -----
// refused: 'vector.scan' op initial value rank 2 has to be equal to 1
func.func @f(%v: vector<2x3xf32>) {
  %0:2 = vector.scan <add>, %v, %v {inclusive = true, reduction_dim = 0 : i64} : vector<2x3xf32>, vector<2x3xf32>
  return
}
// -----
// refused: 'vector.contract' op expected at least one contracting dimension pair
func.func @f(%v: vector<2xf32>, %a: vector<2xf32>) {
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} %v, %v, %a : vector<2xf32>, vector<2xf32> into vector<2xf32>
  return
}
// -----
// refused: expected zero or exactly 2 vector mask operands
func.func @f(%v: vector<2xf32>, %a: f32) {
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} %v, %v, %a, %a : vector<2xf32>, vector<2xf32> into f32
  return
}
// -----
// refused: 'memref.reshape' op length of shape operand differs from the result's memref rank
func.func @f(%m: memref<4xf32>, %s: memref<2xindex>) {
  %0 = memref.reshape %m(%s) : (memref<4xf32>, memref<2xindex>) -> memref<4xf32>
  return
}
// -----
// refused: 'memref.collapse_shape' op rank 0 memrefs can only be extended/collapsed with/from ones
func.func @f(%m: memref<1x2xf32>) {
  %0 = memref.collapse_shape %m [] : memref<1x2xf32> into memref<f32>
  return
}
// -----
// refused: 'scf.parallel' op constant step operand must be positive
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  scf.parallel (%i) = (%n) to (%n) step (%c0) {
    scf.reduce
  }
  return
}
// -----
// refused: 'affine.if' op region #0 should have no arguments
func.func @f(%n: index) {
  "affine.if"(%n) <{condition = affine_set<(d0) : (d0 >= 0)>}> ({
  ^bb0(%i: index):
    affine.yield
  }, {
  }) : (index) -> ()
  return
}
// -----
// refused: strides must not be zero
func.func @f(%m: memref<4xf32, strided<[0]>>) {
  return
}
// -----
// refused: 'func.func' op entry block of region may not have predecessors
func.func @f() {
^bb0:
  cf.br ^bb1
^bb1:
  cf.br ^bb0
}
// -----
// refused: unknown 'resource' key 'blob' for dialect 'nosuch'
{-#
  dialect_resources: {
    nosuch: {
      blob: "0x04000000"
    }
  }
#-}
// -----
// refused here only: 'scf.forall' op constant step operand must be positive
func.func @f() {
  scf.forall (%i) = (0) to (4) step (0) {
  }
  return
}
// -----
// refused: 'scf.forall' op mapping attribute size must match op rank
func.func @f() {
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.block<x>, #gpu.block<y>]}
  return
}
// -----
// refused: expected two stride related operands
func.func @f(%m: memref<4xf32>, %t: memref<1xi32>, %n: index) {
  affine.dma_start %m[0], %m[0], %t[0], %n, %n : memref<4xf32>, memref<4xf32>, memref<1xi32>
  return
}
// -----
// refused: 'affine.dma_wait' op index must be a valid dimension or symbol identifier
func.func @f(%t: memref<1xi32>, %n: index) {
  scf.for %i = %n to %n step %n {
    affine.dma_wait %t[%i], %n : memref<1xi32>
  }
  return
}
// -----
// refused: 'vector.mask' op expects only one operation to mask
func.func @f(%m: vector<16xi1>, %a: vector<16xf32>, %b: memref<16xf32>, %i: index) {
  vector.mask %m {
    vector.transfer_write %a, %b[%i] : vector<16xf32>, memref<16xf32>
    vector.transfer_write %a, %b[%i] : vector<16xf32>, memref<16xf32>
  } : vector<16xi1>
  return
}
// -----
// refused: 'vector.mask' op expects a 'vector<8xi1>' mask for the maskable operation
func.func @f(%m: vector<16xi1>, %a: vector<8xi32>) {
  %0 = vector.mask %m { vector.reduction <add>, %a : vector<8xi32> into i32 } : vector<16xi1> -> i32
  return
}
// -----
// refused: 'vector.mask' op expects result type to match maskable operation result type
func.func @f(%m: vector<8xi1>, %a: vector<8xi32>) {
  %0 = vector.mask %m { vector.reduction <add>, %a : vector<8xi32> into i32 } : vector<8xi1> -> i64
  return
}
// -----
// refused: 'vector.warp_execute_on_lane_0' op expected same number of yield operands and return values.
func.func @f(%l: index) { %0 = vector.warp_execute_on_lane_0(%l)[64] -> (vector<4xi32>) { } return }
// -----
// refused: 'vector.warp_execute_on_lane_0' op incompatible distribution dimensions from 'vector<128xi32>' to 'vector<4xi32>' with warp size = 64
func.func @f(%l: index, %a: vector<4xi32>) {
  vector.warp_execute_on_lane_0(%l)[64] args(%a : vector<4xi32>) {
  ^bb0(%all: vector<128xi32>):
  }
  return
}
// -----
// refused: 'vector.type_cast' op expects concatenated result and operand shapes to be equal
func.func @f(%m: memref<4x3xf32>) { %0 = vector.type_cast %m : memref<4x3xf32> to memref<vector<3x4xf32>> return }
