// docs/passes.md shows this nest and what becomes of it.
// RUN: gpuc-opt --widen-subscripts --canonicalize --cse %s | golden
func.func @rows(%n: i32, %m: i32, %a: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region kernels {
    %rows = arith.index_castui %n : i32 to index
    %columns = arith.index_castui %m : i32 to index
    scf.for %i = %c0 to %rows step %c1 {
      %row = arith.index_cast %i : index to i32
      %start = arith.muli %row, %m : i32
      scf.for %j = %c0 to %columns step %c1 {
        %column = arith.index_cast %j : index to i32
        %sum = arith.addi %start, %column : i32
        %at = arith.index_castui %sum : i32 to index
        memref.store %v, %a[%at] : memref<?xf32>
      }
    }
  }
  return
}

// What cannot wrap takes no test: i - 1, of i from 1 on.
func.func @before(%n: i32, %a: memref<?xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  offload.region kernels {
    %end = arith.index_castui %n : i32 to index
    scf.for %i = %c1 to %end step %c1 {
      %number = arith.index_cast %i : index to i32
      %less = arith.subi %number, %one : i32
      %at = arith.index_castui %less : i32 to index
      memref.store %v, %a[%at] : memref<?xf32>
    }
  }
  return
}
