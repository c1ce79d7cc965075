// Numbers that no transformation can have, each refused by the pass, also where there is nothing to transform.
// RUN: not gpuc-opt --affine-loop-unroll=unroll-factor=0 %s 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: not gpuc-opt --affine-loop-unroll-jam=unroll-jam-factor=0 %s 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: not gpuc-opt --affine-loop-tile=tile-sizes=0,-1 %s 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not gpuc-opt --scf-parallel-loop-tiling=parallel-loop-tile-sizes=0 %s 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: not gpuc-opt --coarsen-threads=factor=0 %s 2>&1 | FileCheck %s --check-prefix=COARSEN
// RUN: not gpuc-opt --coarsen-threads=factor=33 %s 2>&1 | FileCheck %s --check-prefix=COARSEN
// RUN: not gpuc-opt --stage-stencils=tile-sizes=0,1,1 %s 2>&1 | FileCheck %s --check-prefix=STENCIL
// RUN: not gpuc-opt --tile-contractions=tile-sizes=64,64 %s 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not gpuc-opt "--tile-contractions=tile-sizes=64,64,16 thread-sizes=0,4" %s 2>&1 | FileCheck %s --check-prefix=POWERS
// RUN: not gpuc-opt "--tile-contractions=tile-sizes=64,-64,16 thread-sizes=4,4" %s 2>&1 | FileCheck %s --check-prefix=POWERS
// RUN: not gpuc-opt --coarsen-threads=factor=99999999999999999999 %s 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not gpuc-opt --coarsen-threads=factor=two %s 2>&1 | FileCheck %s --check-prefix=LARGE
// UNROLL: error: an unroll factor of 0 leaves no loop
// TILE: error: a tile has at least one iteration
// PARALLEL: error: tile size cannot be 0
// COARSEN: error: a thread takes 1 to 32 iterations
// STENCIL: error: tile-sizes are from 1, rows a multiple of those of a thread, and at most 1024 threads
// THREE: error: tile-sizes are three: rows, columns and terms
// POWERS: error: tile-sizes and thread-sizes are powers of two, and a thread's part of the tile
// LARGE: error:{{.*}}factor
func.func @f(%a: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  return
}
