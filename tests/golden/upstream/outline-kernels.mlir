// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --gpu-launch-sink-index-computations --gpu-kernel-outlining --canonicalize %s | golden
func.func @fill(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %length = memref.dim %a, %c0 : memref<?xf32>
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) {
    %first = arith.muli %bx, %sx : index
    %i = arith.addi %first, %tx : index
    %inside = arith.cmpi slt, %i, %length : index
    scf.if %inside {
      memref.store %one, %a[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}
