// A mapping written by hand is carried out as it stands: one block of 8 by 16 threads takes turns.
// RUN: gpuc-opt --gpuc-parallel %s | FileCheck %s
// CHECK: gpu.launch_func @kernels::@scale_kernel blocks in (%c1, %c1, %c1) threads in (%c16, %c8, %c1)
// CHECK: } {mapping = [#offload.map<thread_y(8), strided>, #offload.map<thread_x(16), strided>]}
// RUN: gpuc-opt --gpuc-parallel --gpuc-lower %s | FileCheck %s --check-prefix=THREAD
// THREAD-NOT: mapping
// THREAD: gpu.thread_id y upper_bound 8
// THREAD: cf.cond_br
func.func @scale(%n: index, %m: index, %a: memref<?x64xf32> {offload.name = "a", offload.map = "copy"}, %s: f32) {
  offload.region parallel {
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%m)) {
      %x = affine.load %a[%i, %j] : memref<?x64xf32>
      %y = arith.mulf %x, %s : f32
      affine.store %y, %a[%i, %j] : memref<?x64xf32>
    } {mapping = [#offload.map<thread_y(8), strided>, #offload.map<thread_x(16), strided>]}
  }
  return
}
