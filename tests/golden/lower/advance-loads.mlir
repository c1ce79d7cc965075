// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --loop-unroll=unroll-factor=2 --advance-loads --canonicalize %s | golden
gpu.module @kernels {
  gpu.func @scale(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"}, %b: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %a[%i] : memref<?xf32>
      %1 = math.sqrt %0 : f32
      memref.store %1, %b[%i] : memref<?xf32>
    }
    gpu.return
  }
}
