// Which rounds are done in one, and what becomes of the rest, is said at the loop.
// RUN: gpuc-opt --loop-unroll --canonicalize --cse %s | golden
gpu.module @kernels {
  gpu.func @split(%a: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%i] : memref<?xf32, 1>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>, offload.rounds = "split"}
    gpu.return
  }
  gpu.func @guarded(%a: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) {
      %y = memref.load %a[%i] : memref<?xf32, 1>
      %next = arith.addf %sum, %y : f32
      scf.yield %next : f32
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>, offload.rounds = "guarded"}
    memref.store %last, %a[%c0] : memref<?xf32, 1>
    gpu.return
  }
  // What a loop carries is for its own order: these rounds follow each other.
  gpu.func @whole(%a: memref<?xf32, 1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1.0 : f32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) {
      %y = memref.load %a[%i] : memref<?xf32, 1>
      %next = arith.addf %sum, %y : f32
      scf.yield %next : f32
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>, offload.rounds = "split whole"}
    memref.store %last, %a[%c0] : memref<?xf32, 1>
    gpu.return
  }
}
