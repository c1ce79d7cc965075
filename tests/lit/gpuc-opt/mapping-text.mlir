// Mappings are read and printed as they stand, ours and upstream's.
// RUN: gpuc-opt %s | gpuc-opt | FileCheck %s
// CHECK: mapping = [#offload.map<block_x(64) * thread_y(2) * thread_x(32), strided>]
// CHECK: mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]
// CHECK: mapping = [#offload.map<block_z, strided, dims = 2>, #offload.map<sequential>, #offload.map<block_x * lane>]
func.func @good(%n: index) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
  } {mapping = [#offload.map<block_x(64) * thread_y(2) * thread_x(32), strided>]}
  affine.parallel (%i) = (0) to (64) {
  } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  affine.parallel (%i, %j, %k, %l) = (0, 0, 0, 0) to (4, 4, 4, 64) {
  } {mapping = [#offload.map<block_z, strided, dims = 2>, #offload.map<sequential>, #offload.map<block_x * lane>]}
  return
}
