// docs/passes.md shows this search and what becomes of it.
// RUN: gpuc-opt --raise-searches --canonicalize --cse %s | golden
func.func @greatest(%n: index, %x: memref<?xf64>, %found: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  offload.region kernels {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %c0) -> (index) {
      %new = memref.load %x[%i] : memref<?xf64>
      %best = memref.load %x[%m] : memref<?xf64>
      %better = arith.cmpf ogt, %new, %best : f64
      %next = arith.select %better, %i, %m : index
      scf.yield %next : index
    }
    memref.store %last, %found[] : memref<index>
  }
  return
}
