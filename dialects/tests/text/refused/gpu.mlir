// refused: 'gpu.func' op expects parent op 'gpu.module'
gpu.func @f() { gpu.return }
// -----
// refused: 'gpu.func' op expected void return type for kernel function
gpu.module @k { gpu.func @f() -> f32 kernel { gpu.return } }
// -----
// refused: 'gpu.return' op expected 1 result operands
gpu.module @k { gpu.func @f() -> f32 { gpu.return } }
// -----
// refused: 'gpu.return' op unexpected type `'i32'' for operand #0
gpu.module @k { gpu.func @f(%x: i32) -> f32 { gpu.return %x : i32 } }
// -----
// refused: 'gpu.func' op expected void return type for kernel function
gpu.module @k { gpu.func @f(%x: f32) -> f32 kernel { gpu.return %x : f32 } }
// -----
// refused: 'gpu.func' op expected memory space private in attribution
gpu.module @k { gpu.func @f() private(%w: memref<4xf32, #gpu.address_space<workgroup>>) kernel { gpu.return } }
// -----
// refused: 'gpu.func' op expected memref type in attribution
gpu.module @k { gpu.func @f() workgroup(%w: f32) kernel { gpu.return } }
// -----
// refused: 'gpu.func' op expected at least 2 arguments to body region
gpu.module @k { "gpu.func"() <{function_type = (f32) -> ()}> ({ gpu.return }) {gpu.kernel, sym_name = "f", workgroup_attributions = 1 : i64} : () -> () }
// -----
// refused: 'gpu.func' op expected body region argument #0 to be of type 'f32', got 'i32'
gpu.module @k { "gpu.func"() <{function_type = (f32) -> ()}> ({ ^bb0(%x : i32): gpu.return }) {gpu.kernel, sym_name = "f"} : () -> () }
// -----
// refused: 'gpu.func' op expected body with at least one block
gpu.module @k { "gpu.func"() <{function_type = () -> ()}> ({ }) {gpu.kernel, sym_name = "f"} : () -> () }
// -----
// refused: 'gpu.launch_func' op expected the closest surrounding module to have the 'gpu.container_module' attribute
func.func @f() {
  %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c)
  return
}
// -----
// refused: 'gpu.launch_func' op kernel container 'k' is undefined
module attributes {gpu.container_module} { func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.launch_func' op kernel function '@k::@f' is undefined
module attributes {gpu.container_module} { gpu.module @k { } func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.launch_func' op kernel function is missing the 'gpu.kernel' attribute
module attributes {gpu.container_module} { gpu.module @k { gpu.func @f() { gpu.return } } func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.launch_func' op got 0 kernel operands but expected 1
module attributes {gpu.container_module} { gpu.module @k { gpu.func @f(%x: f32) kernel { gpu.return } } func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.launch_func' op type of function argument 0 does not match
module attributes {gpu.container_module} { gpu.module @k { gpu.func @f(%x: f32) kernel { gpu.return } } func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) args(%c : index) return } }
// -----
// refused: 'gpu.launch_func' op kernel module 'k' is undefined
module attributes {gpu.container_module} { func.func @k() { return } func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k::@f blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.launch_func' op kernel container 'k' is undefined
module attributes {gpu.container_module} { func.func @h() { %c = arith.constant 1 : index gpu.launch_func @k blocks in (%c, %c, %c) threads in (%c, %c, %c) return } }
// -----
// refused: 'gpu.all_reduce' op expected either an op attribute or a non-empty body
func.func @f(%f: f32) { %0 = gpu.all_reduce %f {} : (f32) -> f32 return }
// -----
// refused: 'gpu.all_reduce' op `and` reduction operation is not compatible with type 'f32'
func.func @f(%f: f32) { %0 = gpu.all_reduce and %f {} : (f32) -> f32 return }
// -----
// refused: 'gpu.all_reduce' op `minnumf` reduction operation is not compatible with type 'i32'
func.func @f(%f: i32) { %0 = gpu.all_reduce minnumf %f {} : (i32) -> i32 return }
// -----
// refused: 'gpu.all_reduce' op `minsi` reduction operation is not compatible with type 'f32'
func.func @f(%f: f32) { %0 = gpu.all_reduce minsi %f {} : (f32) -> f32 return }
// -----
// refused: 'gpu.all_reduce' op expected either an op attribute or a non-empty body
func.func @f(%f: f32) {
  %0 = gpu.all_reduce add %f { ^bb0(%a : f32, %b: f32): gpu.yield %a : f32 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op expected two region arguments
func.func @f(%f: f32) {
  %0 = gpu.all_reduce %f { ^bb0(%a : f32): gpu.yield %a : f32 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op incorrect region argument type
func.func @f(%f: f32) {
  %0 = gpu.all_reduce %f { ^bb0(%a : f32, %b: i32): gpu.yield %a : f32 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op expected one gpu.yield operand
func.func @f(%f: f32) {
  %0 = gpu.all_reduce %f { ^bb0(%a : f32, %b: f32): gpu.yield %a, %a : f32, f32 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op incorrect gpu.yield type
func.func @f(%f: f32) {
  %0 = gpu.all_reduce %f { ^bb0(%a : f32, %b: f32): %c = arith.constant 1 : i32 gpu.yield %c : i32 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op expected gpu.yield op in region
func.func @f(%f: f32) {
  %0 = gpu.all_reduce %f { ^bb0(%a : f32, %b: f32): cf.br ^bb1 ^bb1: cf.br ^bb1 } : (f32) -> f32
  return
}
// -----
// refused: 'gpu.all_reduce' op requires the same type for all operands and results
func.func @f(%f: f32) {
  %0 = "gpu.all_reduce"(%f) ({}) {op = #gpu<all_reduce_op add>}: (f32) -> i32
  return
}
// -----
// refused: 'gpu.subgroup_reduce' op `and` reduction operation is not compatible with type 'f32'
func.func @f(%f: f32) { %0 = gpu.subgroup_reduce and %f : (f32) -> f32 return }
// -----
// refused: custom op 'gpu.shuffle' 'value' must be i32, i64, f32 or f64, but got 'i8'
func.func @f(%f: i8, %i: i32) { %a, %b = gpu.shuffle xor %f, %i, %i : i8 return }
// -----
// refused: custom op 'gpu.shuffle' 'value' must be i32, i64, f32 or f64, but got 'f16'
func.func @f(%f: f16, %i: i32) { %a, %b = gpu.shuffle xor %f, %i, %i : f16 return }
// -----
// refused: 'gpu.subgroup_reduce' op requires the same type for all operands and results
func.func @f(%f: f32) {
  %0 = "gpu.subgroup_reduce"(%f) {op = #gpu<all_reduce_op add>}: (f32) -> i32
  return
}
// -----
// refused: 'gpu.subgroup_reduce' op operand #0 must be Integer or Float or vector of Integer or Float values of ranks 1, but got 'index'
func.func @f(%f: index) { %0 = gpu.subgroup_reduce add %f : (index) -> index return }
// -----
// refused: 'gpu.launch' op unexpected number of region arguments
func.func @f(%n: index) {
  "gpu.launch"(%n,%n,%n,%n,%n,%n) <{operandSegmentSizes = array<i32: 0,1,1,1,1,1,1,0,0,0,0>}> ({ ^bb0: gpu.terminator }) {workgroup_attributions = 0 : i64} : (index, index,index, index,index, index) -> ()
  return
}
// -----
// refused: 'gpu.launch' op expected 'gpu.terminator' or a terminator with successors
func.func @f(%c1: index) {
  gpu.launch blocks(%bx,%by,%bz) in (%gx=%c1,%gy=%c1,%gz=%c1) threads(%tx,%ty,%tz) in (%x=%c1,%y=%c1,%z=%c1) { "foo.b"() : () -> () }
  return
}
// -----
// refused: 'func.return' op expects parent op 'func.func'
func.func @f(%c1: index) {
  gpu.launch blocks(%bx,%by,%bz) in (%gx=%c1,%gy=%c1,%gz=%c1) threads(%tx,%ty,%tz) in (%x=%c1,%y=%c1,%z=%c1) { func.return }
  return
}
// -----
// refused: 'gpu.launch' op expected 'gpu.terminator' or a terminator with successors
func.func @f(%c1: index) {
  gpu.launch blocks(%bx,%by,%bz) in (%gx=%c1,%gy=%c1,%gz=%c1) threads(%tx,%ty,%tz) in (%x=%c1,%y=%c1,%z=%c1) { gpu.yield }
  return
}
// -----
// refused: 'gpu.memcpy' op arguments have incompatible shape
func.func @f(%m: memref<4xf32>, %n: memref<5xf32>) {
  gpu.memcpy %m, %n : memref<4xf32>, memref<5xf32>
  return
}
// -----
// refused: 'gpu.memcpy' op arguments have incompatible element type
func.func @f(%m: memref<4xf32>, %n: memref<4xi32>) {
  gpu.memcpy %m, %n : memref<4xf32>, memref<4xi32>
  return
}
// -----
// refused: 'gpu.memset' op failed to verify that all of {dst, value} have same element type
func.func @f(%m: memref<4xf32>, %n: i32) { gpu.memset %m, %n : memref<4xf32>, i32 return }
// -----
// refused: 'gpu.alloc' op dimension operand count does not equal memref dynamic dimension count
func.func @f() { %0 = gpu.alloc () : memref<?xf32> return }
// -----
// refused: 'gpu.alloc' op dimension operand count does not equal memref dynamic dimension count
func.func @f(%n: index) { %0 = gpu.alloc (%n) : memref<4xf32> return }
// -----
// refused: 'gpu.alloc' op symbol operand count does not equal memref symbol count: expected 0, got 1
func.func @f(%n: index) { %0 = gpu.alloc ()[%n] : memref<4xf32> return }
// -----
// refused: needs to be named when marked 'async'
func.func @f(%m: memref<4xf32>) { gpu.memcpy async %m, %m : memref<4xf32>, memref<4xf32> return }
// -----
// refused: 'gpu.dynamic_shared_memory' op address space must be address_space<workgroup>
func.func @f() { %dm = gpu.dynamic_shared_memory : memref<?xi8> return }
// -----
// refused: 'gpu.dynamic_shared_memory' op result memref type must be memref<?xi8, #gpu.address_space<workgroup>>
func.func @f() {
  %dm = gpu.dynamic_shared_memory : memref<4xi8, #gpu.address_space<workgroup>>
  return
}
// -----
// refused: 'gpu.dynamic_shared_memory' op address space must be address_space<workgroup>
func.func @f() { %dm = gpu.dynamic_shared_memory : memref<?xi8, 3> return }
// -----
// refused: 'gpu.thread_id' op attribute 'dimension' failed to satisfy constraint: a dimension, either 'x', 'y', or 'z'
func.func @f() { %0 = "gpu.thread_id"() {dimension = #gpu<dim w>} : () -> index return }
// -----
// refused: 'gpu.thread_id' op attribute 'dimension' failed to satisfy constraint: a dimension, either 'x', 'y', or 'z'
func.func @f() { %0 = "gpu.thread_id"() {dimension = 1 : i32} : () -> index return }
// -----
// refused: expected dim to be one of: x, y, z
func.func @f() { %0 = gpu.thread_id w return }
// -----
// refused: expected ':'
func.func @f(%f: f32) { %0 = gpu.subgroup_reduce add %f cluster(size = 4) : (f32) -> f32 return }
// -----
// refused: expected operation name in quotes
func.func @f(%f: f32) { gpu.printf "hi %f", %f : f32 return }
// -----
// refused: 'gpu.func' op attribute 'known_block_size' failed to satisfy constraint: i32 dense array attribute with 3 elements (if present)
gpu.module @k { gpu.func @f() kernel attributes {known_block_size = array<i32: 1, 2>} { gpu.return } }
// -----
// refused: 'gpu.launch_func' op expected the closest surrounding module to have the 'gpu.container_module' attribute
func.func @f(%c1: index, %t: !gpu.async.token) {
  gpu.launch_func [%t] @k::@f clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
// -----
// refused: 'gpu.subgroup_mma_compute' op operands must be in the order AOp, BOp, COp
func.func @f(%a: !gpu.mma_matrix<16x16xf16, "AOp">, %b: !gpu.mma_matrix<16x16xf16, "BOp">, %c: !gpu.mma_matrix<16x16xf16, "COp">) {
  %d = gpu.subgroup_mma_compute %b, %a, %c : !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf16, "AOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
  return
}
// -----
// refused: 'gpu.subgroup_mma_compute' op operand shapes do not satisfy matmul constraints
func.func @f(%a: !gpu.mma_matrix<16x32xf16, "AOp">, %b: !gpu.mma_matrix<16x16xf16, "BOp">, %c: !gpu.mma_matrix<16x16xf16, "COp">) {
  %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x32xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
  return
}
// -----
// refused: 'gpu.subgroup_mma_load_matrix' op MMAMatrixType must have exactly two dimensions
func.func @f(%m: memref<32x32xf16>, %i: index) {
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16x16xf16, "AOp">
  return
}
// -----
// refused: 'gpu.subgroup_mma_load_matrix' op operand expected to be one of AOp, BOp or COp
func.func @f(%m: memref<32x32xf16>, %i: index) {
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16xf16, "EOp">
  return
}
// -----
// refused: 'gpu.subgroup_mma_load_matrix' op MMAMatrixType elements must be SI8, UI8, I32, F16, or F32
func.func @f(%m: memref<32x32xf16>, %i: index) {
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16xbf16, "AOp">
  return
}
// -----
// refused: 'gpu.subgroup_mma_store_matrix' op expected the operand matrix being stored to have 'COp' operand type
func.func @f(%m: memref<32x32xf16>, %i: index, %a: !gpu.mma_matrix<16x16xf16, "AOp">) {
  gpu.subgroup_mma_store_matrix %a, %m[%i, %i] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf16, "AOp">, memref<32x32xf16>
  return
}
// -----
// refused: 'gpu.subgroup_mma_load_matrix' op expected source memref most minor dim must have unit stride
func.func @f(%m: memref<32x32xf16, strided<[1, 32]>>, %i: index) {
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 32 : index} : memref<32x32xf16, strided<[1, 32]>> -> !gpu.mma_matrix<16x16xf16, "AOp">
  return
}
// -----
// refused: 'gpu.spmv_buffer_size' op operand #0 must be sparse matrix handle type, but got 'index'
func.func @f(%a: index) { %0 = "gpu.spmv_buffer_size"(%a, %a, %a) {computeType = f32} : (index, index, index) -> index return }
// -----
// refused: expected '{'
func.func @f(%n: index, %v: memref<?xf64>) { %0 = gpu.create_2to4_spmat %n, %n, %v : memref<?xf64> return }
