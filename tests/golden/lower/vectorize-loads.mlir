// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --loop-unroll='unroll-factor=4' --canonicalize --cse --vectorize-loads --canonicalize --cse %s | golden
gpu.module @kernels {
  gpu.func @dot(%n: index, %row: index, %a: memref<?xf32> {offload.storage = "restrict"}, %s: memref<f32> {offload.storage = "restrict"}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %start = arith.muli %row, %n : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) {
      %at = arith.addi %start, %i : index
      %0 = memref.load %a[%at] : memref<?xf32>
      %1 = arith.addf %before, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %sum, %s[] : memref<f32>
    gpu.return
  }
}
