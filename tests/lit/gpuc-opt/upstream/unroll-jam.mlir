// What affine-loop-unroll-jam and its neighbours refuse, with the reason.
// RUN: gpuc-opt --split-input-file --affine-loop-unroll-jam=unroll-jam-factor=2 --remarks %s 2>&1 | FileCheck %s --check-prefix=JAM
// RUN: gpuc-opt --split-input-file --affine-loop-coalescing --remarks %s 2>&1 | FileCheck %s --check-prefix=COALESCE
// RUN: not gpuc-opt --split-input-file --affine-loop-unroll-jam=unroll-jam-factor=0 %s 2>&1 | FileCheck %s --check-prefix=FACTOR

// FACTOR: error: an unroll factor of 0 leaves no loop

// The distance (1, -1).
// JAM: affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
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

// JAM: affine-loop-unroll-jam: its bounds depend on the loop that is unrolled
func.func @triangle(%n: index, %a: memref<?x?xi32>, %v: i32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %v, %a[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// -----

// JAM: affine-loop-unroll-jam: the loop carries values
// COALESCE: affine-loop-coalescing: the loop carries values
func.func @sum(%n: index, %a: memref<8x8xi32>, %zero: i32) -> i32 {
  %r = affine.for %i = 0 to 8 iter_args(%s = %zero) -> i32 {
    %t = affine.for %j = 0 to 8 iter_args(%u = %s) -> i32 {
      %x = affine.load %a[%i, %j] : memref<8x8xi32>
      %y = arith.addi %u, %x : i32
      affine.yield %y : i32
    }
    affine.yield %t : i32
  }
  return %r : i32
}

// -----

// COALESCE: affine-loop-coalescing: its bounds vary in loops round it, so that nothing can be divided by them
func.func @prism(%n: index, %a: memref<?x?xi32>, %v: i32) {
  affine.for %i = 0 to %n {
    affine.store %v, %a[%i, %i] : memref<?x?xi32>
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        affine.store %v, %a[%j, %k] : memref<?x?xi32>
      }
    }
  }
  return
}
