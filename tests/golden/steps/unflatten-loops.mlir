// docs/passes.md shows this loop and what becomes of it.
// RUN: gpuc-opt --unflatten-loops --canonicalize --cse %s | golden
func.func @transpose(%n: index, %m: index, %a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region kernels {
    %count = arith.muli %n, %m : index
    scf.for %p = %c0 to %count step %c1 {
      %i = arith.divsi %p, %m : index
      %j = arith.remsi %p, %m : index
      %x = memref.load %a[%p] : memref<?xf32>
      %column = arith.muli %j, %n : index
      %at = arith.addi %column, %i : index
      memref.store %x, %b[%at] : memref<?xf32>
    }
  }
  return
}

// Only a condition asks for rows and columns: one loop it stays.
func.func @inside(%n: index, %m: index, %b: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region kernels {
    %count = arith.muli %n, %m : index
    scf.for %p = %c0 to %count step %c1 {
      %j = arith.remsi %p, %m : index
      %first = arith.cmpi eq, %j, %c0 : index
      scf.if %first {
        memref.store %v, %b[%p] : memref<?xf32>
      }
    }
  }
  return
}

// Rows of 8, and a last one that may be shorter; a running value goes through both.
func.func @rest(%n: index, %b: memref<?xf32>, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %result = memref.alloca() : memref<f32>
  offload.region kernels {
    %last = scf.for %p = %c0 to %n step %c1 iter_args(%sum = %v) -> (f32) {
      %j = arith.remsi %p, %c8 : index
      %x = memref.load %b[%j] : memref<?xf32>
      %next = arith.addf %sum, %x : f32
      memref.store %next, %b[%j] : memref<?xf32>
      scf.yield %next : f32
    }
    memref.store %last, %result[] : memref<f32>
  }
  %0 = memref.load %result[] : memref<f32>
  return %0 : f32
}

// A directive lets the iterations run at once: another dimension of the loop, as its own loop inside reads by row and column.
func.func @told(%n: index, %m: index, %a: memref<?xf32>, %b: memref<?xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region parallel {
    %count = arith.muli %n, %m : index
    scf.parallel (%p) = (%c0) to (%count) step (%c1) {
      %i = arith.divsi %p, %m : index
      %j = arith.remsi %p, %m : index
      %row = arith.muli %i, %m : index
      %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %zero) -> (f32) {
        %at = arith.addi %row, %k : index
        %x = memref.load %a[%at] : memref<?xf32>
        %next = arith.addf %s, %x : f32
        scf.yield %next : f32
      }
      memref.store %sum, %b[%p] : memref<?xf32>
      scf.reduce
    } {offload.schedule = ["gang", "vector"]}
  }
  return
}

// Nothing inside is read by row and column: one loop it stays.
func.func @told_alone(%n: index, %m: index, %a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region parallel {
    %count = arith.muli %n, %m : index
    scf.parallel (%p) = (%c0) to (%count) step (%c1) {
      %j = arith.remsi %p, %m : index
      %x = memref.load %a[%j] : memref<?xf32>
      memref.store %x, %b[%p] : memref<?xf32>
      scf.reduce
    } {offload.schedule = ["gang", "vector"]}
  }
  return
}
