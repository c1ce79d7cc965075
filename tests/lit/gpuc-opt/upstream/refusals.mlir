// What passes of upstream's names refuse, with the reason.
// RUN: gpuc-opt --split-input-file --affine-loop-tile=tile-size=4 --remarks %s 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: gpuc-opt --split-input-file --affine-parallelize --remarks %s 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: gpuc-opt --split-input-file --affine-loop-unroll=unroll-full --remarks %s 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: not gpuc-opt --split-input-file --affine-loop-unroll=unroll-factor=0 %s 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not gpuc-opt --split-input-file --affine-loop-tile=tile-sizes=8,0 %s 2>&1 | FileCheck %s --check-prefix=SIZE

// FACTOR: error: an unroll factor of 0 leaves no loop
// SIZE: error: a tile has at least one iteration

// The distance (1, -1).
// TILE: affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other [GPUC0010]
// TILE-NEXT: direction (<, >), such as iterations (1, 1) and (2, 0)
// TILE: skew the loop first
func.func @diagonal(%a: memref<1024x1024xi32>) {
  affine.for %i = 1 to 1024 {
    affine.for %j = 0 to 1023 {
      %x = affine.load %a[%i - 1, %j + 1] : memref<1024x1024xi32>
      affine.store %x, %a[%i, %j] : memref<1024x1024xi32>
    }
  }
  return
}

// -----

// TILE: affine-loop-tile: its bounds depend on a loop that is tiled with it
// UNROLL: affine-loop-unroll: how often the loop runs is not known
func.func @triangle(%n: index, %a: memref<?x?xi32>, %v: i32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %v, %a[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// -----

// TILE: affine-loop-tile: the loop carries values
// PARALLEL: affine-parallelize: the loop reduces values, and parallel-reductions is not given
func.func @sum(%n: index, %a: memref<?xi32>, %zero: i32) -> i32 {
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> i32 {
    %x = affine.load %a[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.yield %t : i32
  }
  return %r : i32
}
