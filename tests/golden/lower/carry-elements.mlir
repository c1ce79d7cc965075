// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --carry-elements --canonicalize %s | golden
gpu.module @kernels {
  gpu.func @recurrence(%n: index, %row: index, %a: f64, %p: memref<?x?xf64> {offload.storage = "exclusive"}, %q: memref<?x?xf64> {offload.storage = "exclusive"}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c1 to %n step %c1 {
      %k = arith.subi %j, %c1 : index
      %0 = memref.load %p[%row, %k] : memref<?x?xf64>
      %1 = arith.mulf %a, %0 : f64
      memref.store %1, %p[%row, %j] : memref<?x?xf64>
      memref.store %a, %q[%row, %j] : memref<?x?xf64>
    }
    gpu.return
  }
}
