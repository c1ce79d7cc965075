// RUN: gpuc-opt %s --buffer-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gpuc-opt %s --buffer-results-to-out-params=add-result-attr --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=MARKED

// Buffers become arguments, with the attributes that the results had; other results stay.

// CHECK-LABEL: func.func private @mixed
// CHECK-SAME: (i1, memref<2xf32> {test.kept}, memref<3xf32>) -> f32
// MARKED-LABEL: func.func private @mixed
// MARKED-SAME: (i1, memref<2xf32> {bufferize.result, test.kept}, memref<3xf32> {bufferize.result}) -> f32
func.func private @mixed(i1) -> (memref<2xf32> {test.kept}, f32, memref<3xf32>)

// CHECK-LABEL: func.func @calls
// CHECK: %[[A:.*]] = memref.alloc() : memref<2xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<3xf32>
// CHECK: %[[X:.*]] = call @mixed(%arg0, %[[A]], %[[B]]) : (i1, memref<2xf32>, memref<3xf32>) -> f32
// CHECK: "test.use"(%[[A]], %[[X]], %[[B]])
func.func @calls(%c: i1) {
  %0:3 = call @mixed(%c) : (i1) -> (memref<2xf32>, f32, memref<3xf32>)
  "test.use"(%0#0, %0#1, %0#2) : (memref<2xf32>, f32, memref<3xf32>) -> ()
  return
}

// A buffer of unknown extent is copied: nothing says that it is the function's own.

// CHECK-LABEL: func.func @made
// CHECK-SAME: (%arg0: index, %[[OUT:.*]]: memref<?xf32>) {
// CHECK: %[[B:.*]] = memref.alloc(%arg0)
// CHECK: memref.copy %[[B]], %[[OUT]]
// CHECK: return
func.func @made(%n: index) -> memref<?xf32> {
  %b = memref.alloc(%n) : memref<?xf32>
  return %b : memref<?xf32>
}

// -----

func.func private @unknown() -> memref<?xf32>

func.func @calls_unknown() {
  // expected-error@+1 {{cannot create out param for dynamically shaped result}}
  %0 = call @unknown() : () -> memref<?xf32>
  return
}

// -----

// expected-error@+1 {{cannot create out param for result with unsupported layout}}
func.func private @columns() -> memref<4x4xf32, strided<[1, 4]>>
