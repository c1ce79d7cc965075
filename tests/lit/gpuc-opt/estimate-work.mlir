// What a nest that the compiler found has to do: operations, the longest chain, launches.
// RUN: gpuc-opt --estimate-work --canonicalize %s | FileCheck %s

// A loop of n rounds, each a launch of m iterations with two loads, a sum and a store: 4 n m operations, a chain of 4 n, n launches.
// CHECK: func.func @rows(%{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<?xf64>) attributes {offload.found, offload.work = @rows_work}
// CHECK: func.func @rows_work(%{{.*}}: index, %{{.*}}: index) -> (f64, f64, f64) {
// CHECK: %[[FOUR:.*]] = arith.constant 4.000000e+00 : f64
// CHECK: sitofp
// CHECK: sitofp
// CHECK: arith.mulf %{{.*}}, %[[FOUR]]
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : f64, f64, f64
func.func @rows(%n: index, %m: index, %a: memref<?xf64>) attributes {offload.found} {
  offload.region kernels {
    affine.for %i = 0 to %n {
      affine.parallel (%j) = (0) to (symbol(%m)) {
        %x = affine.load %a[%j] : memref<?xf64>
        %y = affine.load %a[%j + 1] : memref<?xf64>
        %z = arith.addf %x, %y : f64
        affine.store %z, %a[%j] : memref<?xf64>
      }
    }
  }
  return
}

// Nobody asks for what the program has a directive for.
// CHECK: func.func @marked
// CHECK-NOT: @marked_work
func.func @marked(%n: index, %a: memref<?xf64>) {
  offload.region kernels {
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %a[%j] : memref<?xf64>
      affine.store %x, %a[%j] : memref<?xf64>
    }
  }
  return
}
