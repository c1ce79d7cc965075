// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-loop-fusion --canonicalize %s | golden
func.func @fused(%n: index, %a: memref<?xf32> {offload.storage = "exclusive"},
                 %b: memref<?xf32> {offload.storage = "exclusive"}, %f: f32) {
  affine.for %i = 0 to %n {
    affine.store %f, %a[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  return
}
