// refused: 'memref.alloc' op dimension operand count does not equal memref dynamic dimension count
func.func @f() { %0 = memref.alloc() : memref<?xf32> return }
// -----
// refused: 'memref.alloc' op dimension operand count does not equal memref dynamic dimension count
func.func @f(%n: index) { %0 = memref.alloc(%n) : memref<4xf32> return }
// -----
// refused: 'memref.alloc' op symbol operand count does not equal memref symbol count: expected 0, got 1
func.func @f(%n: index) { %0 = memref.alloc()[%n] : memref<4xf32> return }
// -----
// refused: 'memref.alloc' op symbol operand count does not equal memref symbol count: expected 1, got 0
func.func @f() { %0 = memref.alloc() : memref<4xf32, affine_map<(d0)[s0]->(d0+s0)>> return }
// -----
// refused: 'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0
func.func @f() { %0 = memref.alloc() {alignment = -1} : memref<4xf32> return }
// -----
// refused: 'memref.alloca' op requires an ancestor op with AutomaticAllocationScope trait
"foo.op"() ({ %0 = memref.alloca() : memref<4xf32> }) : () -> ()
// -----
// refused: 'memref.load' op incorrect number of indices for load, expected 2 but got 1
func.func @f(%m: memref<4x4xf32>, %n: index) { %0 = memref.load %m[%n] : memref<4x4xf32> return }
// -----
// refused: 'memref.store' op store index operand count not equal to memref rank
func.func @f(%m: memref<4x4xf32>, %n: index, %f: f32) {
  memref.store %f, %m[%n] : memref<4x4xf32>
  return
}
// -----
// refused: 'memref.store' op failed to verify that type of 'value' matches element type of 'memref'
func.func @f(%m: memref<4x4xf32>, %n: index, %f: f64) {
  "memref.store"(%f, %m, %n, %n) : (f64, memref<4x4xf32>, index, index) -> ()
  return
}
// -----
// refused: 'memref.load' op failed to verify that result type matches element type of 'memref'
func.func @f(%m: memref<4x4xf32>, %n: index) {
  %0 = "memref.load"(%m, %n, %n) : (memref<4x4xf32>, index, index) -> f64
  return
}
// -----
// refused: 'memref.prefetch' op too few indices
func.func @f(%m: memref<4x4xf32>, %n: index) {
  memref.prefetch %m[%n], read, locality<3>, data : memref<4x4xf32>
  return
}
// -----
// refused: 'memref.prefetch' op attribute 'localityHint' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3
func.func @f(%m: memref<4x4xf32>, %n: index) {
  memref.prefetch %m[%n, %n], read, locality<5>, data : memref<4x4xf32>
  return
}
// -----
// refused: rw specifier has to be 'read' or 'write'
func.func @f(%m: memref<4x4xf32>, %n: index) {
  memref.prefetch %m[%n, %n], foo, locality<3>, data : memref<4x4xf32>
  return
}
// -----
// refused: 'memref.copy' op requires the same shape for all operands
func.func @f(%m: memref<4x4xf32>, %n: memref<4xf32>) {
  memref.copy %m, %n : memref<4x4xf32> to memref<4xf32>
  return
}
// -----
// refused: 'memref.copy' op requires the same element type for all operands
func.func @f(%m: memref<4xf32>, %n: memref<4xi32>) {
  memref.copy %m, %n : memref<4xf32> to memref<4xi32>
  return
}
// -----
// refused: 'memref.copy' op requires the same shape for all operands
func.func @f(%m: memref<4xf32>, %n: memref<5xf32>) {
  memref.copy %m, %n : memref<4xf32> to memref<5xf32>
  return
}
// -----
// refused: 'memref.atomic_rmw' op failed to verify that value type matches element type of memref
func.func @f(%m: memref<4xf32>, %n: index, %i : i32) {
  %0 = memref.atomic_rmw addf %i, %m[%n] : (i32, memref<4xf32>) -> i32
  return
}
// -----
// refused: 'memref.atomic_rmw' op with kind 'addi' expects an integer type
func.func @f(%m: memref<4xf32>, %n: index, %i : f32) {
  %0 = memref.atomic_rmw addi %i, %m[%n] : (f32, memref<4xf32>) -> f32
  return
}
// -----
// refused: 'memref.atomic_rmw' op with kind 'addf' expects a floating-point type
func.func @f(%m: memref<4xi32>, %n: index, %i : i32) {
  %0 = memref.atomic_rmw addf %i, %m[%n] : (i32, memref<4xi32>) -> i32
  return
}
// -----
// refused: 'memref.atomic_rmw' op expects the number of subscripts to be equal to memref rank
func.func @f(%m: memref<4xf32>, %n: index, %i : f32) {
  %0 = memref.atomic_rmw addf %i, %m[%n, %n] : (f32, memref<4xf32>) -> f32
  return
}
// -----
// refused: 'memref.generic_atomic_rmw' op expected single number of entry block arguments
func.func @f(%m: memref<4xf32>, %n: index, %i : f32) {
  %0 = "memref.generic_atomic_rmw"(%m, %n) ({ ^bb0: "memref.atomic_yield"(%i) : (f32) -> () }) : (memref<4xf32>, index) -> f32
  return
}
// -----
// refused: 'memref.atomic_yield' op types mismatch between yield op: 'i32' and its parent: 'f32'
func.func @f(%m: memref<4xf32>, %n: index, %i : i32) {
  %0 = "memref.generic_atomic_rmw"(%m, %n) ({ ^bb0(%x: f32): "memref.atomic_yield"(%i) : (i32) -> () }) : (memref<4xf32>, index) -> f32
  return
}
// -----
// refused: 'memref.generic_atomic_rmw' op body should contain only operations with no side effects
func.func @f(%m: memref<4xf32>, %n: index, %i : f32, %k: memref<4xf32>) {
  %0 = "memref.generic_atomic_rmw"(%m, %n) ({ ^bb0(%x: f32): memref.store %i, %k[%n] : memref<4xf32> "memref.atomic_yield"(%i) : (f32) -> () }) : (memref<4xf32>, index) -> f32
  return
}
// -----
// refused: 'memref.generic_atomic_rmw' op expected block argument of the same type result type
func.func @f(%m: memref<4xf32>, %n: index) {
  %0 = "memref.generic_atomic_rmw"(%m, %n) ({ ^bb0(%x: i32): "memref.atomic_yield"(%x) : (i32) -> () }) : (memref<4xf32>, index) -> f32
  return
}
// -----
// refused: 'memref.cast' op operand type 'memref<4xf32>' and result type 'memref<5xf32>' are cast incompatible
func.func @f(%m: memref<4xf32>) { %0 = memref.cast %m : memref<4xf32> to memref<5xf32> return }
// -----
// refused: 'memref.cast' op operand type 'memref<*xf32>' and result type 'memref<*xf32>' are cast incompatible
func.func @f(%m: memref<*xf32>) { %0 = memref.cast %m : memref<*xf32> to memref<*xf32> return }
// -----
// refused: 'memref.cast' op operand type 'memref<4xf32>' and result type 'memref<4xf32, 3>' are cast incompatible
func.func @f(%m: memref<4xf32>) { %0 = memref.cast %m : memref<4xf32> to memref<4xf32, 3> return }
// -----
// refused: 'memref.memory_space_cast' op operand type 'memref<4xf32>' and result type 'memref<5xf32, 3>' are cast incompatible
func.func @f(%m: memref<4xf32>) {
  %0 = memref.memory_space_cast %m : memref<4xf32> to memref<5xf32, 3>
  return
}
// -----
// refused: 'memref.memory_space_cast' op operand type 'memref<4xf32>' and result type 'memref<4xi32, 3>' are cast incompatible
func.func @f(%m: memref<4xf32>) {
  %0 = memref.memory_space_cast %m : memref<4xf32> to memref<4xi32, 3>
  return
}
// -----
// refused: 'memref.dim' op operand #0 must be unranked.memref of any type values or non-0-ranked.memref of any type values, but got 'memref<f32>'
func.func @f(%m: memref<f32>, %i: index) { %0 = memref.dim %m, %i : memref<f32> return }
// -----
// refused: 'memref.get_global' op 'nope' does not reference a valid global memref
func.func @f() { %0 = memref.get_global @nope : memref<4xf32> return }
// -----
// refused: 'memref.get_global' op result type 'memref<4xf32>' does not match type 'memref<5xf32>' of the global memref @g
func.func @f() { %0 = memref.get_global @g : memref<4xf32> return }
memref.global @g : memref<5xf32>
// -----
// refused: type should be static shaped memref, but got 'memref<?xf32>'
memref.global @g : memref<?xf32>
// -----
// refused: expected operation name in quotes
memref.global @g : memref<2xf32> = dense<1.0> : tensor<2xf32>
// -----
// refused: inferred shape of elements literal ([3]) does not match type ([2])
memref.global @g : memref<2xf32> = dense<[1.0,2.0,3.0]>
// -----
// refused: 'memref.global' op initial value expected to be of type 'tensor<2xf32>', but was of type 'tensor<3xf32>'
"memref.global"() {sym_name = "g", type = memref<2xf32>, initial_value = dense<1.0> : tensor<3xf32>} : () -> ()
// -----
// refused: 'memref.global' op initial value should be a unit or elements attribute, but got 1 : i32
"memref.global"() {sym_name = "g", type = memref<2xf32>, initial_value = 1 : i32} : () -> ()
// -----
// refused: 'memref.global' op attribute 'type' failed to satisfy constraint: memref type attribute
"memref.global"() {sym_name = "g", type = f32} : () -> ()
// -----
// refused: 'memref.global' op alignment attribute value 3 is not a power of 2
memref.global @g : memref<2xf32> {alignment = 3 : i64}
// -----
// refused: 'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive
func.func @f(%m: memref<4x4xf32>) { memref.assume_alignment %m, 0 : memref<4x4xf32> return }
// -----
// refused: 'memref.assume_alignment' op alignment must be power of 2
func.func @f(%m: memref<4x4xf32>) { memref.assume_alignment %m, 3 : memref<4x4xf32> return }
// -----
// refused: 'memref.subview' op expected result type to be 'memref<2x2xf32, strided<[4, 1]>>' or a rank-reduced version. (mismatch of result layout) 
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2xf32>
  return
}
// -----
// refused: 'memref.subview' op expected 2 offset values, got 1
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0][2][1] : memref<4x4xf32> to memref<2x2xf32>
  return
}
// -----
// refused: 'memref.subview' op expected result element type to be 'f32'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2xi32, strided<[4,1]>>
  return
}
// -----
// refused: 'memref.subview' op expected result type to be 'memref<2x2xf32, strided<[4, 1]>>' or a rank-reduced version. (mismatch of result sizes) 
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<3x2xf32, strided<[4,1]>>
  return
}
// -----
// refused: 'memref.subview' op expected result rank to be smaller or equal to the source rank. 
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2x1xf32, strided<[4,1,1]>>
  return
}
// -----
// refused: 'memref.subview' op expected result type to be 'memref<2x2xf32, strided<[4, 1]>>' or a rank-reduced version. (mismatch of result sizes) 
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2xf32, strided<[1]>>
  return
}
// -----
// refused: 'memref.subview' op expected result type to be 'memref<2x2xf32, strided<[4, 1]>>' or a rank-reduced version. (mismatch of result layout) 
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4,1], offset: 2>>
  return
}
// -----
// refused: 'memref.subview' op different memory spaces specified for base memref type 'memref<4x4xf32>' and subview memref type 'memref<2x2xf32, strided<[4, 1]>, 3>'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[0, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4,1]>, 3>
  return
}
// -----
// refused: 'memref.subview' op expected 1 dynamic offset values
func.func @f(%m: memref<4x4xf32>) {
  %0 = "memref.subview"(%m) {operandSegmentSizes = array<i32: 1,0,0,0>, static_offsets = array<i64: 0, -9223372036854775808>, static_sizes = array<i64: 2,2>, static_strides = array<i64: 1, 1>} : (memref<4x4xf32>) -> memref<2x2xf32, strided<[4,1]>>
  return
}
// -----
// refused: 'memref.subview' op expected offsets to be non-negative, but got -1
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.subview %m[-1, 0][2, 2][1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4,1], offset: -4>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op expected mixed sizes rank to match mixed strides rank (1 vs 2) so the rank of the result type is well-formed.
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op expected result type with size = 4 instead of 5 in dim = 0
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<4x4xf32> to memref<5xf32, strided<[1]>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op expected result type with offset = 1 instead of 0
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [1], sizes: [4], strides: [1] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op expected result type with stride = 2 instead of 1 in dim = 0
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [2] : memref<4x4xf32> to memref<4xf32, strided<[1]>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op different element types specified for source type 'memref<4x4xf32>' and result memref type 'memref<4xi32, strided<[1]>>'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<4x4xf32> to memref<4xi32, strided<[1]>>
  return
}
// -----
// refused: 'memref.reinterpret_cast' op different memory spaces specified for source type 'memref<4x4xf32>' and result memref type 'memref<4xf32, strided<[1]>, 3>'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<4x4xf32> to memref<4xf32, strided<[1]>, 3>
  return
}
// -----
// refused: 'memref.expand_shape' op expanded rank (3) inconsistent with number of reassociation indices (2)
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.expand_shape %m [[0], [1]] output_shape [4, 4] : memref<4x4xf32> into memref<4x4x4xf32>
  return
}
// -----
// refused: 'memref.expand_shape' op collapsed dim size (4) must equal reassociation group size (6)
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 2, 3] : memref<4x4xf32> into memref<4x2x3xf32>
  return
}
// -----
// refused: 'memref.expand_shape' op reassociation indices must be contiguous
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.expand_shape %m [[0], [2, 1]] output_shape [4, 2, 2] : memref<4x4xf32> into memref<4x2x2xf32>
  return
}
// -----
// refused: 'memref.expand_shape' op expected number of static shape bounds to be equal to the output rank (3) but found 2 inputs instead
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 2] : memref<4x4xf32> into memref<4x2x2xf32>
  return
}
// -----
// refused: 'memref.expand_shape' op invalid output shape provided at pos 1
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.expand_shape %m [[0], [1, 2]] output_shape [4, 4, 1] : memref<4x4xf32> into memref<4x2x2xf32>
  return
}
// -----
// refused: 'memref.collapse_shape' op collapsed dim size (15) must equal reassociation group size (16)
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32> into memref<15xf32>
  return
}
// -----
// refused: 'memref.collapse_shape' op invalid source layout map or collapsing non-contiguous dims
func.func @f(%m: memref<4x4xf32, strided<[5,1]>>) {
  %0 = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32, strided<[5,1]>> into memref<16xf32>
  return
}
// -----
// refused: 'memref.collapse_shape' op invalid number of reassociation groups: found 2, expected 1
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.collapse_shape %m [[0], [1]] : memref<4x4xf32> into memref<16xf32>
  return
}
// -----
// refused: 'memref.collapse_shape' op reassociation indices must be contiguous
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.collapse_shape %m [[1, 0]] : memref<4x4xf32> into memref<16xf32>
  return
}
// -----
// refused: 'memref.view' op operand #0 must be 1D memref of 8-bit signless integer values, but got 'memref<4x4xf32>'
func.func @f(%m: memref<4x4xf32>, %i: index) {
  %0 = memref.view %m[%i][] : memref<4x4xf32> to memref<4xf32>
  return
}
// -----
// refused: 'memref.view' op incorrect number of size operands for type 'memref<4xf32>'
func.func @f(%m: memref<16xi8>, %i: index) {
  %0 = memref.view %m[%i][%i] : memref<16xi8> to memref<4xf32>
  return
}
// -----
// refused: 'memref.view' op different memory spaces specified for base memref type 'memref<16xi8>' and view memref type 'memref<4xf32, 3>'
func.func @f(%m: memref<16xi8>, %i: index) {
  %0 = memref.view %m[%i][] : memref<16xi8> to memref<4xf32, 3>
  return
}
// -----
// refused: 'memref.view' op unsupported map for result memref type 'memref<4xf32, strided<[2]>>'
func.func @f(%m: memref<16xi8>, %i: index) {
  %0 = memref.view %m[%i][] : memref<16xi8> to memref<4xf32, strided<[2]>>
  return
}
// -----
// refused: 'memref.view' op unsupported map for base memref type 'memref<16xi8, strided<[2]>>'
func.func @f(%m: memref<16xi8, strided<[2]>>, %i: index) {
  %0 = memref.view %m[%i][] : memref<16xi8, strided<[2]>> to memref<4xf32>
  return
}
// -----
// refused: 'memref.transpose' op expected a permutation map
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.transpose %m (i, j) -> (j) : memref<4x4xf32> to memref<4x4xf32>
  return
}
// -----
// refused: 'memref.transpose' op result type 'memref<4x4xf32>' is not equivalent to the canonical transposed input type 'memref<4x4xf32, strided<[1, 4]>>'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.transpose %m (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32>
  return
}
// -----
// refused: 'memref.realloc' op operand #0 must be 1D memref of any type values, but got 'memref<4x4xf32>'
func.func @f(%m: memref<4x4xf32>) {
  %0 = memref.realloc %m : memref<4x4xf32> to memref<16xf32>
  return
}
// -----
// refused: 'memref.realloc' op missing dimension operand for result type 'memref<?xf32>'
func.func @f(%m: memref<4xf32>) { %0 = memref.realloc %m : memref<4xf32> to memref<?xf32> return }
// -----
// refused: 'memref.realloc' op unnecessary dimension operand for result type 'memref<4xf32>'
func.func @f(%m: memref<4xf32>, %i: index) {
  %0 = memref.realloc %m(%i) : memref<4xf32> to memref<4xf32>
  return
}
// -----
// refused: 'memref.realloc' op different element types specified for source memref type 'memref<4xf32>' and result memref type 'memref<4xi32>'
func.func @f(%m: memref<4xf32>) { %0 = memref.realloc %m : memref<4xf32> to memref<4xi32> return }
// -----
// refused: 'memref.realloc' op different memory spaces specified for source memref type 'memref<4xf32>' and result memref type 'memref<4xf32, 3>'
func.func @f(%m: memref<4xf32>) {
  %0 = memref.realloc %m : memref<4xf32> to memref<4xf32, 3>
  return
}
// -----
// refused: 'memref.realloc' op unsupported layout for result memref type 'memref<4xf32, strided<[2]>>'
func.func @f(%m: memref<4xf32>) {
  %0 = memref.realloc %m : memref<4xf32> to memref<4xf32, strided<[2]>>
  return
}
// -----
// refused: 'memref.extract_strided_metadata' op inferred type(s) 'memref<f32>', 'index', 'index', 'index' are incompatible with return type(s) of operation 'memref<i32>', 'index', 'index', 'index'
func.func @f(%m: memref<4xf32>) {
  %a,%b,%c,%d = memref.extract_strided_metadata %m : memref<4xf32> -> memref<i32>, index, index, index
  return
}
// -----
// refused: 'memref.extract_strided_metadata' op inferred type(s) 'memref<f32>', 'index', 'index', 'index' are incompatible with return type(s) of operation 'memref<f32>', 'index'
func.func @f(%m: memref<4xf32>) {
  %a,%b = memref.extract_strided_metadata %m : memref<4xf32> -> memref<f32>, index
  return
}
// -----
// refused: 'memref.alloca_scope' op  region control flow edge from Region #0 to parent results: source has 1 operands, but target successor needs 0
func.func @f(%f : f32) {
  memref.alloca_scope { "memref.alloca_scope.return"(%f) : (f32) -> () }
  return
}
// -----
// refused: 'memref.subview' op base type 'memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>' is not strided
func.func @f(%m: memref<4xf32, affine_map<(d0)->(d0 mod 2)>>) {
  %0 = memref.subview %m[0][2][1] : memref<4xf32, affine_map<(d0)->(d0 mod 2)>> to memref<2xf32>
  return
}
// -----
// refused: 'memref.extract_strided_metadata' op operand #0 must be strided memref of any type values, but got 'memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>'
func.func @f(%m: memref<4xf32, affine_map<(d0)->(d0 mod 2)>>) {
  %a,%b,%c,%d = memref.extract_strided_metadata %m : memref<4xf32, affine_map<(d0)->(d0 mod 2)>> -> memref<f32>, index, index, index
  return
}
// -----
// refused here only: 'memref.generic_atomic_rmw' op expects the number of subscripts to be equal to memref rank
func.func @f(%m: memref<4xf32>, %n: index) {
  %0 = "memref.generic_atomic_rmw"(%m, %n, %n) ({ ^bb0(%x: f32): "memref.atomic_yield"(%x) : (f32) -> () }) : (memref<4xf32>, index, index) -> f32
  return
}
