// Extents of buffers.
func.func @extents(%n: index, %u: memref<?x4xf32>, %bytes: memref<1024xi8>) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?x8xf32>
  %0 = memref.dim %a, %c0 : memref<?x8xf32>
  %1 = memref.dim %a, %c1 : memref<?x8xf32>
  %2 = memref.rank %a : memref<?x8xf32>
  %v = memref.view %bytes[%c0][%n] : memref<1024xi8> to memref<?xf32>
  %3 = memref.dim %v, %c0 : memref<?xf32>
  %s = memref.subview %u[0, 0] [%n, 2] [1, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 1]>>
  %4 = memref.dim %s, %c0 : memref<?x2xf32, strided<[4, 1]>>
  %c = memref.cast %u : memref<?x4xf32> to memref<?x?xf32>
  %5 = memref.dim %c, %c1 : memref<?x?xf32>
  "test.use"(%a) : (memref<?x8xf32>) -> ()
  return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
}
// becomes
module {
  func.func @extents(%arg0: index, %arg1: memref<?x4xf32>, %arg2: memref<1024xi8>) -> (index, index, index, index, index, index) {
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %alloc = memref.alloc(%arg0) : memref<?x8xf32>
    "test.use"(%alloc) : (memref<?x8xf32>) -> ()
    return %arg0, %c8, %c2, %arg0, %arg0, %c4 : index, index, index, index, index, index
  }
}
// -----
// Constant extents move into types; casts that forget are looked through.
func.func @static(%f: f32, %m: memref<8x4xf32>, %i: index) -> f32 {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc(%c4, %i) : memref<?x?xf32>
  memref.store %f, %a[%i, %i] : memref<?x?xf32>
  %c = memref.cast %m : memref<8x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %v = memref.load %c[%i, %i] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %s = memref.subview %m[%c2, %i] [%c2, %c4] [1, 1] : memref<8x4xf32> to memref<?x?xf32, strided<[4, 1], offset: ?>>
  "test.use"(%a, %s) : (memref<?x?xf32>, memref<?x?xf32, strided<[4, 1], offset: ?>>) -> ()
  return %v : f32
}
// becomes
module {
  func.func @static(%arg0: f32, %arg1: memref<8x4xf32>, %arg2: index) -> f32 {
    %alloc = memref.alloc(%arg2) : memref<4x?xf32>
    %cast = memref.cast %alloc : memref<4x?xf32> to memref<?x?xf32>
    memref.store %arg0, %alloc[%arg2, %arg2] : memref<4x?xf32>
    %0 = memref.load %arg1[%arg2, %arg2] : memref<8x4xf32>
    %subview = memref.subview %arg1[2, %arg2] [2, 4] [1, 1] : memref<8x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    %cast_0 = memref.cast %subview : memref<2x4xf32, strided<[4, 1], offset: ?>> to memref<?x?xf32, strided<[4, 1], offset: ?>>
    "test.use"(%cast, %cast_0) : (memref<?x?xf32>, memref<?x?xf32, strided<[4, 1], offset: ?>>) -> ()
    return %0 : f32
  }
}
// -----
// Buffers that are only written, copies to themselves, views of everything.
func.func @needless(%f: f32, %m: memref<8x4xf32>, %i: index) -> memref<8x4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.store %f, %a[%i] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  memref.copy %m, %m : memref<8x4xf32> to memref<8x4xf32>
  %s = memref.subview %m[0, 0] [8, 4] [1, 1] : memref<8x4xf32> to memref<8x4xf32>
  %t = memref.transpose %s (d0, d1) -> (d0, d1) : memref<8x4xf32> to memref<8x4xf32>
  %e = memref.expand_shape %t [[0, 1], [2]] output_shape [2, 4, 4] : memref<8x4xf32> into memref<2x4x4xf32>
  %c = memref.collapse_shape %e [[0, 1], [2]] : memref<2x4x4xf32> into memref<8x4xf32>
  return %c : memref<8x4xf32>
}
// becomes
module {
  func.func @needless(%arg0: f32, %arg1: memref<8x4xf32>, %arg2: index) -> memref<8x4xf32> {
    return %arg1 : memref<8x4xf32>
  }
}
// -----
// A dropped unit dimension stays dropped.
func.func @rank_reduced(%m: memref<8x4xf32>, %i: index) {
  %c2 = arith.constant 2 : index
  %s = memref.subview %m[%i, 0] [1, %c2] [1, 1] : memref<8x4xf32> to memref<?xf32, strided<[1], offset: ?>>
  "test.use"(%s) : (memref<?xf32, strided<[1], offset: ?>>) -> ()
  return
}
// becomes
module {
  func.func @rank_reduced(%arg0: memref<8x4xf32>, %arg1: index) {
    %subview = memref.subview %arg0[%arg1, 0] [1, 2] [1, 1] : memref<8x4xf32> to memref<2xf32, strided<[1], offset: ?>>
    %cast = memref.cast %subview : memref<2xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    "test.use"(%cast) : (memref<?xf32, strided<[1], offset: ?>>) -> ()
    return
  }
}
