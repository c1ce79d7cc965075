// Arrays in memory of the block, laid out by choice and as asked.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{arch=sm_90}))' --remarks %s -o %t.out 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{arch=sm_90}))' %s | FileCheck %s --check-prefix=LAID
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=t order=1,0}),canonicalize)' %s | FileCheck %s --check-prefix=TURNED
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=t longer=3}),canonicalize)' %s | FileCheck %s --check-prefix=LONGER
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=t exchanged=true}),canonicalize)' %s | FileCheck %s --check-prefix=EXCHANGED
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=t order=0,0}))' --remarks %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=r exchanged=true}))' --remarks %s 2>&1 | FileCheck %s --check-prefix=POWERS
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=nobody longer=1}))' --remarks %s 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=t members=true}))' --remarks %s 2>&1 | FileCheck %s --check-prefix=RECORDS
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{array=o longer=1}))' --remarks %s 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(spread-banks{longer=129}))' %s 2>&1 | FileCheck %s --check-prefix=LONG
// TWICE: spread-banks: t has 2 dimensions, of which each stands once in the new order
// POWERS: spread-banks: elements are exchanged in rows of a power of two, and those of r have 6
// NOBODY: spread-banks: there is no array 'nobody' that the threads of a block share
// RECORDS: spread-banks: t is no array of records that is used member by member
// OTHERS: spread-banks: o is used in another way than element by element
// LONG: rows are longer by 0 to 128 elements

// CHOSEN: Array t in memory of the block with rows longer by 1: a warp's accesses take its banks 2 passes in place of 33
// CHOSEN: Array r in memory of the block laid out as (d1, d0): a warp's accesses take its banks 1 passes in place of 2
// CHOSEN-NOT: Array
// LAID: memref.alloca() {offload.name = "t"} : memref<32x33xf32>
// LAID: memref.alloca() {offload.name = "r"} : memref<6x40xf32>
// LAID: memref.alloca() {offload.name = "s"} : memref<32x32xf32>
// TURNED: affine.parallel (%[[A:.*]], %[[B:.*]]) = (0, 0) to (4, 32)
// TURNED: affine.store %{{.*}}, %[[T:.*]][%[[B]], %[[A]]] : memref<32x32xf32>
// TURNED: affine.load %[[T]][%[[A]], %[[B]]] : memref<32x32xf32>
// LONGER: memref.alloca() {{.*}}: memref<32x35xf32>
// EXCHANGED: memref.alloca() {offload.name = "t"} : memref<32x32xf32>
// EXCHANGED: %[[KEY:.*]] = arith.andi %[[ROW:.*]], %c31
// EXCHANGED: %[[COLUMN:.*]] = arith.xori %{{.*}}, %[[KEY]]
// EXCHANGED: memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]]
func.func @tiles(%x: f32) {
  offload.region parallel {
    affine.parallel (%i) = (0) to (64) {
      %t = memref.alloca() {offload.name = "t"} : memref<32x32xf32>
      %r = memref.alloca() {offload.name = "r"} : memref<40x6xf32>
      %s = memref.alloca() {offload.name = "s"} : memref<32x32xf32>
      %o = memref.alloca() {offload.name = "o"} : memref<32xf32>
      affine.parallel (%a, %b) = (0, 0) to (4, 32) {
        affine.store %x, %t[%a, %b] : memref<32x32xf32>
        %0 = affine.load %t[%b, %a] : memref<32x32xf32>
        affine.store %0, %r[%b + %a, 3] : memref<40x6xf32>
        %1 = affine.load %s[%a, %b] : memref<32x32xf32>
        affine.store %1, %s[%a + 1, %b] : memref<32x32xf32>
        func.call @others(%o) : (memref<32xf32>) -> ()
      } {mapping = [#offload.map<thread_y(4)>, #offload.map<thread_x(32)>]}
    } {mapping = [#offload.map<block_x>]}
  }
  return
}
func.func private @others(memref<32xf32>)
