// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --hoist-loads --canonicalize %s | golden
gpu.module @kernels {
  gpu.func @scale(%n: index, %row: index, %a: memref<?xf32> {offload.storage = "restrict"}, %factors: memref<?xf32> {offload.storage = "restrict"}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %f = memref.load %factors[%row] : memref<?xf32>
      %0 = memref.load %a[%i] : memref<?xf32>
      %1 = arith.mulf %0, %f : f32
      memref.store %1, %a[%i] : memref<?xf32>
    }
    gpu.return
  }
}
