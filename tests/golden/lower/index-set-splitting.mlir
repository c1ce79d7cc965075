// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --index-set-splitting --canonicalize --cse %s | golden
gpu.module @kernels {
  gpu.func @border(%n: index, %m: index, %a: memref<?xf32>, %x: f32, %y: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %inside = arith.cmpi slt, %i, %m : index
      scf.if %inside {
        memref.store %x, %a[%i] : memref<?xf32>
      } else {
        memref.store %y, %a[%i] : memref<?xf32>
      }
    }
    gpu.return
  }
}
