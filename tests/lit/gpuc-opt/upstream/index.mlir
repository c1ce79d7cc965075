// RUN: gpuc-opt %s | gpuc-opt | FileCheck %s --check-prefix=TEXT
// RUN: gpuc-opt %s --canonicalize | FileCheck %s
// RUN: gpuc-opt %s --run=numbers | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s --canonicalize --run=numbers | FileCheck %s --check-prefix=EXEC

// What is computed of constants is one where 32 bits and 64 agree.

// TEXT-LABEL: func.func @numbers
// TEXT: %idx7 = index.constant 7
// TEXT: index.floordivs %idx-7, %idx2
// TEXT: index.cmp slt(%{{.*}}, %idx2)
// TEXT: index.bool.constant true
// TEXT: index.casts %{{.*}} : index to i32
// TEXT: index.sizeof
// CHECK-LABEL: func.func @numbers
// CHECK-DAG: %idx-4 = index.constant -4
// CHECK-DAG: %idx-3 = index.constant -3
// CHECK-DAG: %idx-1 = index.constant -1
// CHECK-DAG: %true = index.bool.constant true
// CHECK: return %idx-4, %idx-3, %idx-1, %true
// EXEC: -4
// EXEC: -3
// EXEC: -1
// EXEC: 1
// EXEC: 64
func.func @numbers() -> (index, index, index, i1, index) {
  %m = index.constant -7
  %p = index.constant 7
  %two = index.constant 2
  %floor = index.floordivs %m, %two
  %ceil = index.ceildivs %m, %two
  %rest = index.rems %m, %two
  %less = index.cmp slt(%m, %two)
  %true = index.bool.constant true
  %narrow = index.casts %p : index to i32
  %size = index.sizeof
  return %floor, %ceil, %rest, %less, %size : index, index, index, i1, index
}

// CHECK-LABEL: func.func @depends_on_the_width
// CHECK: index.divu
// CHECK: index.shl
// CHECK: index.maxs
// CHECK: index.cmp slt
func.func @depends_on_the_width() -> (index, index, index, i1) {
  %one = index.constant 1
  %two = index.constant 2
  %wide = index.constant 0x100000000
  %by = index.constant 32
  %0 = index.divu %wide, %two
  %1 = index.shl %one, %by
  %2 = index.maxs %one, %wide
  %3 = index.cmp slt(%one, %wide)
  return %0, %1, %2, %3 : index, index, index, i1
}

// Whether a difference is 0 is whether both are the same; its sign says nothing where it wraps.

// CHECK-LABEL: func.func @differences
// CHECK-DAG: %[[FIVE:.*]] = index.constant 5
// CHECK: %[[D:.*]] = index.sub %arg0, %arg1
// CHECK: index.cmp eq(%arg0, %arg1)
// CHECK: index.cmp sgt(%[[D]], %{{.*}})
// CHECK: index.add %arg0, %[[FIVE]]
func.func @differences(%x: index, %y: index) -> (i1, i1, index) {
  %zero = index.constant 0
  %two = index.constant 2
  %three = index.constant 3
  %d = index.sub %x, %y
  %0 = index.cmp eq(%d, %zero)
  %1 = index.cmp sgt(%d, %zero)
  %a = index.add %x, %two
  %b = index.add %a, %three
  return %0, %1, %b : i1, i1, index
}

// CHECK-LABEL: func.func @bounded
// CHECK-DAG: %true = index.bool.constant true
// CHECK-DAG: %false = index.bool.constant false
// CHECK: return %true, %false
func.func @bounded(%x: index) -> (i1, i1) {
  %zero = index.constant 0
  %one = index.constant 1
  %most = index.maxs %x, %one
  %0 = index.cmp sgt(%most, %zero)
  %1 = index.cmp eq(%most, %zero)
  return %0, %1 : i1, i1
}
