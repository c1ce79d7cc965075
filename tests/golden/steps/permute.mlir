// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --affine-loop-permute --canonicalize %s | golden
func.func @triangle(%n: index, %a: memref<?x?xf32>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
