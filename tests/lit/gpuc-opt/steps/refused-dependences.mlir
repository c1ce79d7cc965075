// Each kind of dependence, through an array and through a scalar, that forbids a step on a nest of two loops; and none where
// both ends are in one iteration. (Steps on statements and on loops in a row: refused-orders.mlir.)
// RUN: gpuc-opt --split-input-file --affine-loop-permute --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=PERMUTE
// RUN: gpuc-opt --split-input-file --affine-loop-tile=tile-size=4 --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: gpuc-opt --split-input-file --affine-loop-unroll-jam=unroll-jam-factor=4 --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=JAM
// RUN: gpuc-opt --split-input-file --affine-loop-skew=wavefront=true --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=SKEW
// RUN: gpuc-opt --split-input-file --affine-parallelize --remarks %s -o %t 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: gpuc-opt --split-input-file --affine-loop-permute --affine-loop-tile=tile-size=4 --affine-loop-unroll-jam=unroll-jam-factor=4 --affine-loop-skew --affine-parallelize %s | FileCheck %s

// The distance (1, -2): a wavefront of i + j goes backwards too.
// PERMUTE: [[@LINE+7]], affine-loop-permute: a dependence would be turned round
// PERMUTE-NEXT: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >), such as iterations (1, 2) and (2, 0)
// TILE: [[@LINE+5]], affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other
// TILE-NEXT: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// JAM: [[@LINE+3]], affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
// JAM-NEXT: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
func.func @flow(%a: memref<?x?xi32> {offload.name = "a"}) {
  affine.for %i = 1 to 1024 {
    affine.for %j = 0 to 1023 {
      %x = affine.load %a[%i - 1, %j + 2] : memref<?x?xi32>
      affine.store %x, %a[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
// SKEW: [[@LINE-8]], affine-loop-skew: a dependence would be turned round
// SKEW-NEXT: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// PARALLEL: [[@LINE-10]], Loop carried dependence of a prevents parallelization
// PARALLEL-NEXT: the read in line [[@LINE-9]] touches the element of a that the write in line [[@LINE-8]] of the iteration before touched

// -----

// PERMUTE: [[@LINE+7]], affine-loop-permute: a dependence would be turned round
// PERMUTE-NEXT: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// TILE: [[@LINE+5]], affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other
// TILE-NEXT: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// JAM: [[@LINE+3]], affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
// JAM-NEXT: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
func.func @anti(%a: memref<?x?xi32> {offload.name = "a"}) {
  affine.for %i = 1 to 1024 {
    affine.for %j = 2 to 1024 {
      %x = affine.load %a[%i + 1, %j - 2] : memref<?x?xi32>
      affine.store %x, %a[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
// SKEW: [[@LINE-8]], affine-loop-skew: a dependence would be turned round
// SKEW-NEXT: anti dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// PARALLEL: [[@LINE-10]], Loop carried backward dependence of a prevents parallelization
// PARALLEL-NEXT: the write in line [[@LINE-8]] touches the element of a that the read in line [[@LINE-9]] of the iteration before touched

// -----

// PERMUTE: [[@LINE+7]], affine-loop-permute: a dependence would be turned round
// PERMUTE-NEXT: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// TILE: [[@LINE+5]], affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other
// TILE-NEXT: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// JAM: [[@LINE+3]], affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
// JAM-NEXT: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
func.func @output(%a: memref<?xindex> {offload.name = "a"}) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      affine.store %i, %a[2 * %i + %j] : memref<?xindex>
    }
  }
  return
}
// SKEW: [[@LINE-7]], affine-loop-skew: a dependence would be turned round
// SKEW-NEXT: output dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, >)
// PARALLEL: [[@LINE-9]], Loop carried reuse of a prevents parallelization
// PARALLEL-NEXT: the write in line [[@LINE-8]] touches the element of a that the write in line [[@LINE-8]] of another iteration touched

// -----

// A scalar hands a value from each iteration to the next one, in both loops.
// PERMUTE: [[@LINE+7]], affine-loop-permute: a dependence would be turned round
// PERMUTE-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
// TILE: [[@LINE+5]], affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other
// TILE-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
// JAM: [[@LINE+3]], affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
// JAM-NEXT: anti dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
func.func @scalar(%s: memref<i32> {offload.name = "s"}, %a: memref<?x?xi32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      %x = affine.load %s[] : memref<i32>
      %y = affine.load %a[%i, %j] : memref<?x?xi32>
      %z = arith.subi %y, %x : i32
      affine.store %z, %s[] : memref<i32>
    }
  }
  return
}
// SKEW: [[@LINE-10]], affine-loop-skew: a dependence would be turned round
// SKEW-NEXT: anti dependence of s
// PARALLEL: [[@LINE-12]], Loop carried reuse of s prevents parallelization
// PARALLEL: [[@LINE-12]], Loop carried reuse of s prevents parallelization

// -----

// A scalar that only the last iteration counts for.
// PERMUTE: [[@LINE+7]], affine-loop-permute: a dependence would be turned round
// PERMUTE-NEXT: output dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
// TILE: [[@LINE+5]], affine-loop-tile: a dependence goes backwards in a loop, so tiles would wait for each other
// TILE-NEXT: output dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
// JAM: [[@LINE+3]], affine-loop-unroll-jam: a dependence would go backwards between iterations that are put together
// JAM-NEXT: output dependence of s from line {{[0-9]+}} to line {{[0-9]+}}, direction (<, <) (<, =) (<, >)
func.func @last(%s: memref<i32> {offload.name = "s"}, %a: memref<?x?xi32> {offload.storage = "exclusive"}) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      %x = affine.load %a[%i, %j] : memref<?x?xi32>
      affine.store %x, %s[] : memref<i32>
    }
  }
  return
}
// SKEW: [[@LINE-8]], affine-loop-skew: a dependence would be turned round
// SKEW-NEXT: output dependence of s
// PARALLEL: [[@LINE-10]], Loop carried reuse of s prevents parallelization
// PARALLEL: [[@LINE-10]], Loop carried reuse of s prevents parallelization

// -----

// Flow, anti and output within one iteration: nothing forbids anything.
// PERMUTE-NOT: affine-loop
// TILE-NOT: affine-loop
// JAM-NOT: affine-loop
// SKEW-NOT: affine-loop
// CHECK-LABEL: func.func @within
// CHECK: affine.parallel
func.func @within(%a: memref<?x?xi32> {offload.storage = "exclusive"}, %b: memref<?x?xi32> {offload.storage = "exclusive"}, %f: i32) {
  affine.for %i = 0 to 1024 {
    affine.for %j = 0 to 1024 {
      %x = affine.load %a[%i, %j] : memref<?x?xi32>
      affine.store %x, %b[%i, %j] : memref<?x?xi32>
      %y = affine.load %b[%i, %j] : memref<?x?xi32>
      affine.store %f, %b[%i, %j] : memref<?x?xi32>
      affine.store %y, %a[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
// PARALLEL-NOT: prevents
