// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(raise-fields,raise-affine),canonicalize,cse)' %s | golden
func.func @speeds(%n: index, %points: memref<?xi8>, %dt: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %n step %c1 {
    %record = arith.muli %i, %c12 : index
    %member = arith.addi %record, %c4 : index
    %v = memref.view %points[%member][] : memref<?xi8> to memref<f32>
    %speed = memref.load %v[] : memref<f32>
    %step = arith.mulf %speed, %dt : f32
    %x = memref.view %points[%record][] : memref<?xi8> to memref<f32>
    %old = memref.load %x[] : memref<f32>
    %new = arith.addf %old, %step : f32
    memref.store %new, %x[] : memref<f32>
  }
  return
}
