// How many requests of a warp fall to one bank of shared memory (Li et al. 2016, eqs. 20 and 21), and what helps (fig. 4).
// RUN: gpuc-opt --print-bank-conflicts --remarks -o %t.out %s 2>&1 | FileCheck %s
// RUN: gpuc-opt '--print-bank-conflicts=all=true thread=1' --remarks -o %t.out %s 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not gpuc-opt --print-bank-conflicts=thread=-1 %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: loops are numbered from the outermost, 0

#shared = #gpu.address_space<workgroup>
func.func @warps(%g: memref<32x32xf32> {offload.name = "g"}) {
  %t = memref.alloca() {offload.name = "t"} : memref<32x32xf32, #shared>
  %p = memref.alloca() {offload.name = "p"} : memref<32x33xf32, #shared>
  %d = memref.alloca() {offload.name = "d"} : memref<32x32xf64, #shared>
  %r = memref.alloca() {offload.name = "r"} : memref<64x8xf32, #shared>
  %s = memref.alloca() {offload.name = "s"} : memref<4096xf32, #shared>
  %b = memref.alloca() {offload.name = "b"} : memref<4096xi8, #shared>
  affine.parallel (%y, %x) = (0, 0) to (8, 32) {
    // CHECK: [[@LINE+1]], t: threads are 1 elements of 4 bytes apart: 1 request to one bank
    %0 = affine.load %t[%y, %x] : memref<32x32xf32, #shared>
    // CHECK: [[@LINE+1]], t: threads are 32 elements of 4 bytes apart: 32 requests to one bank; rows of 33 elements would have none, nor would columns that are exchanged by their row
    %1 = affine.load %t[%x, %y] : memref<32x32xf32, #shared>
    // CHECK: [[@LINE+1]], p: threads are 33 elements of 4 bytes apart: 1 request to one bank
    %2 = affine.load %p[%x, %y] : memref<32x33xf32, #shared>
    // CHECK: [[@LINE+1]], d: threads are 32 elements of 8 bytes apart: 16 requests to one bank; rows of 33 elements would have none
    %3 = affine.load %d[%x, %y] : memref<32x32xf64, #shared>
    // Members of records.
    // CHECK: [[@LINE+1]], r: threads are 8 elements of 4 bytes apart: 8 requests to one bank; an array for each member would have none
    %4 = affine.load %r[%x, 3] : memref<64x8xf32, #shared>
    // CHECK: [[@LINE+1]], s: threads are 6 elements of 4 bytes apart: 2 requests to one bank; other threads have to ask for these elements
    %5 = affine.load %s[%x * 6 + %y] : memref<4096xf32, #shared>
    // Five bytes are no number of words: counted. Neighbours in pairs have one element.
    // CHECK: [[@LINE+1]], b: threads are 5 elements of 1 bytes apart: 2 requests to one bank (counted)
    %6 = affine.load %b[%x * 5] : memref<4096xi8, #shared>
    // CHECK: [[@LINE+1]], s: threads ask for elements of 4 bytes: 1 request to one bank (counted)
    %7 = affine.load %s[%x floordiv 2] : memref<4096xf32, #shared>
    // ALL: [[@LINE+1]], g: threads are 32 elements of 4 bytes apart: 32 requests to one bank
    %8 = affine.load %g[%x, %y] : memref<32x32xf32>
  }
  return
}
