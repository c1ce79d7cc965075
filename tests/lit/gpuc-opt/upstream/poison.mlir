// RUN: gpuc-opt %s | gpuc-opt | FileCheck %s --check-prefix=TEXT
// RUN: gpuc-opt %s --canonicalize | FileCheck %s
// RUN: gpuc-opt %s --run=chosen | FileCheck %s --check-prefix=EXEC
// RUN: not gpuc-opt %s --run=used 2>&1 | FileCheck %s --check-prefix=USED

// TEXT: ub.poison : f32
// TEXT: ub.poison <"why"> : i32
// CHECK-LABEL: func.func @computed
// CHECK-DAG: %[[F:.*]] = ub.poison : f32
// CHECK-DAG: %[[I:.*]] = ub.poison : i64
// CHECK: return %[[F]], %[[F]], %[[I]], %arg1
func.func @computed(%x: f32, %n: i32, %c: i1) -> (f32, f32, i64, i32) {
  %p = ub.poison : f32
  %q = ub.poison : i32
  %0 = arith.addf %x, %p : f32
  %1 = math.absf %p : f32
  %2 = arith.extsi %q : i32 to i64
  %3 = arith.select %c, %q, %n : i32
  return %0, %1, %2, %3 : f32, f32, i64, i32
}

func.func @other() -> i32 {
  %0 = ub.poison <"why"> : i32
  return %0 : i32
}

// What is not chosen may be anything.

// EXEC: 5
func.func @chosen() -> i32 {
  %true = arith.constant true
  %five = arith.constant 5 : i32
  %p = ub.poison : i32
  %0 = arith.select %true, %five, %p : i32
  return %0 : i32
}

// USED: poison.mlir:[[#@LINE+7]]:{{[0-9]+}}: error: {{.*}}undefined behaviour: depends on a value that the program says is none
func.func @used() -> index {
  %p = ub.poison : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = memref.alloca() : memref<2xindex>
  memref.store %one, %m[%zero] : memref<2xindex>
  %0 = memref.load %m[%p] : memref<2xindex>
  return %0 : index
}
