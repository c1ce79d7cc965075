// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --scf-for-to-while %s | golden
func.func @sum(%lo: index, %hi: index, %step: index, %a: memref<?xf32>, %zero: f32) -> f32 {
  %sum = scf.for %i = %lo to %hi step %step iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  return %sum : f32
}
