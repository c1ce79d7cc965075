// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --loop-unroll='unroll-factor=2' --canonicalize --cse %s | golden
gpu.module @kernels {
  gpu.func @sum(%n: index, %a: memref<?xf32>, %s: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) {
      %0 = memref.load %a[%i] : memref<?xf32>
      %1 = arith.addf %before, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %sum, %s[] : memref<f32>
    gpu.return
  }
}
