// Bytecode is written and read; the text that it was made of comes back, with its locations.
// RUN: gpuc-opt --emit-bytecode %s | gpuc-opt --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOCATIONS
// LOCATIONS: func.func @f(%arg0: memref<4xf32, strided<[1], offset: ?>> loc({{.*}}bytecode.mlir":23:14)) -> i64
// LOCATIONS: arith.addi %{{.*}} loc(callsite("g" at "a.c":1:2))
// RUN: gpuc-opt --emit-bytecode --emit-bytecode-version=0 %s -o %t.0
// RUN: gpuc-opt --verify-roundtrip --canonicalize %t.0 | FileCheck %s
// CHECK: func.func @f(%arg0: memref<4xf32, strided<[1], offset: ?>>) -> i64
// CHECK-NEXT: %c7_i64 = arith.constant 7
// CHECK-NEXT: "test.op"(%arg0) {a = [-1 : si1, dense<[1, -2]> : tensor<2xi12>, 1.500000e+00 : f80]}

// A damaged file is refused where the damage is, and so are versions that there are not.
// RUN: cat %t.0 %s | not gpuc-opt 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: <stdin>:1:{{[0-9]+}}: error: there is no section 47, at byte {{[0-9]+}} of the bytecode
// RUN: not gpuc-opt --emit-bytecode --emit-bytecode-version=7 %s 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: 7 is not in 0..=6
// RUN: not gpuc-opt --emit-bytecode --split-input-file %s 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: the argument '--emit-bytecode' cannot be used with '--split-input-file'

// The compiler itself takes it beside texts.
// RUN: gpuc-opt --emit-bytecode %S/../gpuc/device-code/scale.mlir -o %t.mlirbc
// RUN: gpuc --emit=ptx %t.mlirbc | FileCheck %s --check-prefix=PTX
// PTX: .visible .entry scale
func.func @f(%a: memref<4xf32, strided<[1], offset: ?>>) -> i64 {
  %0 = arith.constant 3 : i64
  %1 = arith.constant 4 : i64
  %2 = arith.addi %0, %1 : i64 loc(callsite("g" at "a.c":1:2))
  "test.op"(%a) {a = [-1 : si1, dense<[1, -2]> : tensor<2xi12>, 1.5 : f80]} : (memref<4xf32, strided<[1], offset: ?>>) -> ()
  return %2 : i64
}
