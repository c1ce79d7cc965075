// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --buffer-results-to-out-params=hoist-static-allocs %s | golden
func.func @zeros() -> memref<4xf32> {
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to 4 {
    affine.store %zero, %b[%i] : memref<4xf32>
  }
  return %b : memref<4xf32>
}
func.func @first() -> f32 {
  %b = call @zeros() : () -> memref<4xf32>
  %x = affine.load %b[0] : memref<4xf32>
  return %x : f32
}
