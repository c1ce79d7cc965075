// refused: 'affine.apply' op operand count and affine map dimension and symbol count must match
func.func @f(%n: index) {
  %0 = "affine.apply"(%n) {map = affine_map<(d0, d1) -> (d0)>} : (index) -> index
  return
}
// -----
// refused: 'affine.apply' op mapping must produce one value
func.func @f(%n: index) {
  %0 = "affine.apply"(%n) {map = affine_map<(d0) -> (d0, d0)>} : (index) -> index
  return
}
// -----
// refused: 'affine.min' op operand count and affine map dimension and symbol count must match
func.func @f(%n: index) {
  %0 = "affine.min"(%n) {map = affine_map<(d0, d1) -> (d0)>} : (index) -> index
  return
}
// -----
// refused: 'affine.load' op affine map num results must equal memref rank
func.func @f(%n: index, %m: memref<4x4xf32>) { %0 = affine.load %m[%n] : memref<4x4xf32> return }
// -----
// refused: 'affine.load' op expects as many subscripts as affine map inputs
func.func @f(%n: index, %m: memref<4xf32>) {
  %0 = "affine.load"(%m, %n, %n) {map = affine_map<(d0)->(d0)>} : (memref<4xf32>, index, index) -> f32
  return
}
// -----
// refused: 'affine.load' op index must be a valid dimension or symbol identifier
func.func @f(%n: index, %m: memref<4xf32>) {
  scf.for %i = %n to %n step %n { %0 = affine.load %m[%i] : memref<4xf32> }
  return
}
// -----
// refused: 'affine.store' op value to store must have the same type as memref element type
func.func @f(%n: index, %m: memref<4xf32>, %f: f64) {
  "affine.store"(%f, %m, %n) {map = affine_map<(d0)->(d0)>} : (f64, memref<4xf32>, index) -> ()
  return
}
// -----
// refused: 'affine.store' op expects as many subscripts as affine map inputs
func.func @f(%n: index, %m: memref<4xf32>, %f: f32) {
  "affine.store"(%f, %m, %n, %n) {map = affine_map<(d0)->(d0)>} : (f32, memref<4xf32>, index, index) -> ()
  return
}
// -----
// refused: 'affine.store' op affine map num results must equal memref rank
func.func @f(%n: index, %m: memref<4x4xf32>, %f: f32) {
  affine.store %f, %m[%n] : memref<4x4xf32>
  return
}
// -----
// refused: 'affine.store' op index must be a valid dimension or symbol identifier
func.func @f(%n: index, %m: memref<4xf32>, %f: f32) {
  scf.for %i = %n to %n step %n { affine.store %f, %m[%i] : memref<4xf32> }
  return
}
// -----
// refused: 'affine.vector_load' op requires memref and vector types of the same elemental type
func.func @f(%n: index, %m: memref<4xf32>) {
  %0 = affine.vector_load %m[%n] : memref<4xf32>, vector<2xi32>
  return
}
// -----
// refused: 'affine.vector_store' op requires memref and vector types of the same elemental type
func.func @f(%n: index, %m: memref<4xf32>, %f: vector<2xi32>) {
  affine.vector_store %f, %m[%n] : memref<4xf32>, vector<2xi32>
  return
}
// -----
// refused: 'affine.prefetch' op affine map num results must equal memref rank
func.func @f(%n: index, %m: memref<4x4xf32>) {
  affine.prefetch %m[%n], read, locality<3>, data : memref<4x4xf32>
  return
}
// -----
// refused: 'affine.for' op operand cannot be used as a dimension id
func.func @f(%n: index) {
  scf.for %i = %n to %n step %n { affine.for %j = 0 to affine_map<(d0)->(d0)>(%i) {} }
  return
}
// -----
// refused: 'affine.for' op operand cannot be used as a symbol
func.func @f(%n: index) { scf.for %i = %n to %n step %n { affine.for %j = 0 to %i {} } return }
// -----
// refused: upper loop bound affine map with multiple results requires 'min' prefix
func.func @f(%n: index) { affine.for %j = 0 to affine_map<(d0)->(d0, 10)>(%n) {} return }
// -----
// refused: 'affine.for' op expected body to have a single index argument for the induction variable
func.func @f() {
  "affine.for"() <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 0,0,0>}> ({ ^bb0: "affine.yield"() : () -> () }) : () -> ()
  return
}
// -----
// refused: 'affine.for' op expected body to have a single index argument for the induction variable
func.func @f() {
  "affine.for"() <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 0,0,0>}> ({ ^bb0(%i: i32): "affine.yield"() : () -> () }) : () -> ()
  return
}
// -----
// refused: 'affine.for' op different number of inits and region iter_args: 1 != 0
func.func @f(%f: f32) {
  %0 = "affine.for"(%f) <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 0,0,1>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : (f32) -> f32
  return
}
// -----
// refused: 'affine.for' op different number of region iter_args and yielded values: 1 != 0
func.func @f(%f: f32) {
  %0 = affine.for %i = 0 to 10 iter_args(%x = %f) -> (f32) { affine.yield }
  return
}
// -----
// refused: 'affine.for' op types mismatch between iter operand, iter_arg, yielded value and result #0
func.func @f(%f: f32) {
  %0 = affine.for %i = 0 to 10 iter_args(%x = %f) -> (f32) { affine.yield %i : index }
  return
}
// -----
// refused: 'affine.for' op different number of region iter_args and yielded values: 1 != 2
func.func @f(%f: f32) {
  %0:2 = "affine.for"(%f) <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 0,0,1>}> ({ ^bb0(%i: index, %x : f32): "affine.yield"(%f, %f) : (f32, f32) -> () }) : (f32) -> (f32, f32)
  return
}
// -----
// refused: 'affine.yield' op only terminates affine.if/for/parallel regions
func.func @f() { "affine.yield"() : () -> () }
// -----
// refused: 'affine.if' op requires an integer set attribute named 'condition'
func.func @f() { "affine.if"() ({ affine.yield }, {}) : () -> () return }
// -----
// refused: 'affine.if' op operand count and condition integer set dimension and symbol count must match
func.func @f(%n: index) {
  "affine.if"(%n) ({ affine.yield }, {}) {condition = affine_set<() : (0 == 0)>} : (index) -> ()
  return
}
// -----
// refused: 'affine.if' op operand cannot be used as a dimension id
func.func @f(%n: index) {
  scf.for %i = %n to %n step %n { affine.if affine_set<(d0) : (d0 >= 0)>(%i) { } }
  return
}
// -----
// refused: 'affine.if' op  region control flow edge from parent operands to parent results: source has 0 operands, but target successor needs 1
func.func @f(%n: index, %f: f32) {
  %0 = affine.if affine_set<(d0) : (d0 >= 0)>(%n) -> f32 { affine.yield %f : f32 }
  return
}
// -----
// refused: 'affine.parallel' op the number of region arguments (2) and the number of map groups for lower (2) and upper bound (2), and the number of steps (1) must all match
func.func @f() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [], steps = [1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield }) : () -> ()
  return
}
// -----
// refused: 'affine.parallel' op the number of region arguments (2) and the number of map groups for lower (1) and upper bound (2), and the number of steps (2) must all match
func.func @f() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield }) : () -> ()
  return
}
// -----
// refused: 'affine.parallel' op expected lower bounds map to have 2 results
func.func @f() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0)>, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield }) : () -> ()
  return
}
// -----
// refused: 'affine.parallel' op a reduction must be specified for each output
func.func @f() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [0], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield }) : () -> ()
  return
}
// -----
// refused: 'affine.parallel' op result type cannot match reduction attribute
func.func @f(%f: f32) {
  %0 = "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [1], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield %f : f32 }) : () -> f32
  return
}
// -----
// refused: 'affine.parallel' op the number of region arguments (1) and the number of map groups for lower (2) and upper bound (2), and the number of steps (2) must all match
func.func @f() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index): affine.yield }) : () -> ()
  return
}
// -----
// refused: 'affine.delinearize_index' op should return an index for each basis element
func.func @f(%n: index) { %0:2 = affine.delinearize_index %n into (%n) : index, index return }
// -----
// refused: 'affine.delinearize_index' op basis should not be empty
func.func @f(%n: index) { affine.delinearize_index %n into () : return }
// -----
// refused here only: 'affine.min' op affine map must have at least one result
func.func @f(%n: index) {
  %0 = "affine.min"(%n) {map = affine_map<(d0) -> ()>} : (index) -> index
  return
}
// -----
// refused here only: 'affine.for' op expected step to be a positive integer
func.func @f() {
  "affine.for"() <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 0: index, operandSegmentSizes = array<i32: 0,0,0>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : () -> ()
  return
}
// -----
// refused here only: 'affine.for' op expected bound maps to have at least one result
func.func @f() {
  "affine.for"() <{lowerBoundMap = affine_map<()->()>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 0,0,0>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : () -> ()
  return
}
// -----
// refused here only: 'affine.for' op operand count and affine map dimension and symbol count must match
func.func @f(%n: index) {
  "affine.for"(%n) <{lowerBoundMap = affine_map<()->(0)>, upperBoundMap = affine_map<()->(10)>, step = 1: index, operandSegmentSizes = array<i32: 1,0,0>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : (index) -> ()
  return
}
// -----
// refused here only: 'affine.parallel' op operand count and affine map dimension and symbol count must match
func.func @f(%n: index) {
  "affine.parallel"(%n) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 0)>, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()->(10, 10)>}> ({ ^bb0(%i: index, %j: index): affine.yield }) : (index) -> ()
  return
}
// -----
// refused here only: 'affine.parallel' op expected steps to be positive integers
func.func @f() { affine.parallel (%i) = (0) to (10) step (0) { } return }
