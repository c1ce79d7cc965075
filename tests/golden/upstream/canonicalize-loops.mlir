// docs/passes.md shows this and what becomes of it.
// RUN: gpuc-opt --scf-for-loop-canonicalization %s | golden
func.func @tiles(%n: index, %sizes: memref<3xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c4 {
    %whole = affine.min affine_map<(d0) -> (4, 64 - d0)>(%i)
    memref.store %whole, %sizes[%c0] : memref<3xindex>
    %rest = affine.min affine_map<(d0) -> (64, 64 - d0)>(%i)
    memref.store %rest, %sizes[%c1] : memref<3xindex>
    %open = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    memref.store %open, %sizes[%c2] : memref<3xindex>
  }
  return
}
