// RUN: gpuc-opt %s --buffer-results-to-out-params=hoist-static-allocs | FileCheck %s

// One allocation is one of the caller's buffers, of several that it is returned for, and none where returns differ.

// CHECK-LABEL: func.func @twice
// CHECK-SAME: %[[A:.*]]: memref<2xf32>, %[[B:.*]]: memref<2xf32>
// CHECK-DAG: memref.copy %[[OWN:.*]], %[[A]]
// CHECK-DAG: memref.copy %[[OWN]], %[[B]]
func.func @twice() -> (memref<2xf32>, memref<2xf32>) {
  %a = memref.alloc() : memref<2xf32>
  return %a, %a : memref<2xf32>, memref<2xf32>
}

// CHECK-LABEL: func.func @either
// CHECK-SAME: %{{.*}}: i1, %[[OUT:.*]]: memref<2xf32>
// CHECK: %[[OTHER:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: memref.copy %[[OTHER]], %[[OUT]]
func.func @either(%c: i1) -> memref<2xf32> {
  %a = memref.alloc() : memref<2xf32>
  %b = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^one, ^other
^one:
  return %a : memref<2xf32>
^other:
  return %b : memref<2xf32>
}
