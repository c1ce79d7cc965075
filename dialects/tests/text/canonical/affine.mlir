// Values of affine.apply, constants and repeated operands are written into maps.
func.func @compose(%m: memref<?x4xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to 16 {
    %a = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %b = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%a)[%n]
    %v = affine.load %m[%b, %c1] : memref<?x4xf32>
    %w = affine.vector_load %m[%a, 0] : memref<?x4xf32>, vector<4xf32>
    affine.vector_store %w, %m[%a + %i, 0] : memref<?x4xf32>, vector<4xf32>
    affine.store %v, %m[%a, %i - %i] : memref<?x4xf32>
  }
  return
}
// becomes
module {
  func.func @compose(%arg0: memref<?x4xf32>, %arg1: index) {
    affine.for %arg2 = 0 to 16 {
      %0 = affine.load %arg0[%arg2 * 2 + symbol(%arg1) + 2, 1] : memref<?x4xf32>
      %1 = affine.vector_load %arg0[%arg2 + 1, 0] : memref<?x4xf32>, vector<4xf32>
      affine.vector_store %1, %arg0[%arg2 * 2 + 1, 0] : memref<?x4xf32>, vector<4xf32>
      affine.store %0, %arg0[%arg2 + 1, 0] : memref<?x4xf32>
    }
    return
  }
}
// -----
// Multiples of a divisor leave quotients and remainders.
func.func @divisions(%m: memref<?x?xf32>, %f: f32) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      %linear = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 + 16)>(%i, %j)
      affine.store %f, %m[%linear floordiv 8, %linear mod 8] : memref<?x?xf32>
    }
  }
  return
}
// becomes
module {
  func.func @divisions(%arg0: memref<?x?xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 16 {
      affine.for %arg3 = 0 to 8 {
        affine.store %arg1, %arg0[%arg2 + %arg3 floordiv 8 + 2, %arg3 mod 8] : memref<?x?xf32>
      }
    }
    return
  }
}
// -----
// Values of maps that are constants or operands.
func.func @values(%n: index) -> (index, index, index, index, index) {
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<(d0) -> (d0 * 3 - 1)>(%c4)
  %1 = affine.apply affine_map<()[s0] -> (s0)>()[%n]
  %2 = affine.min affine_map<(d0) -> (d0, 7, 3)>(%c4)
  %3 = affine.max affine_map<(d0)[s0] -> (d0, 5, s0, 3)>(%n)[%n]
  %4 = affine.min affine_map<(d0)[s0] -> (d0 + 2, s0 + 2)>(%n)[%n]
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}
// becomes
#map = affine_map<()[s0] -> (s0, 5)>
#map1 = affine_map<()[s0] -> (s0 + 2)>
module {
  func.func @values(%arg0: index) -> (index, index, index, index, index) {
    %c3 = arith.constant 3 : index
    %c11 = arith.constant 11 : index
    %0 = affine.max #map()[%arg0]
    %1 = affine.apply #map1()[%arg0]
    return %c11, %arg0, %c3, %0, %1 : index, index, index, index, index
  }
}
// -----
// Loops that run never, once, or for nothing; bounds that are constants or stand twice.
func.func @loops(%n: index, %f: f32) -> (f32, f32, f32) {
  %c3 = arith.constant 3 : index
  affine.for %i = 10 to 2 {
    "test.never"() : () -> ()
  }
  affine.for %i = 0 to %n {
  }
  %none = affine.for %i = 4 to 4 iter_args(%x = %f) -> (f32) {
    %s = arith.addf %x, %x : f32
    affine.yield %s : f32
  }
  %carried = affine.for %i = 0 to %n iter_args(%x = %f) -> (f32) {
    affine.yield %x : f32
  }
  %once = affine.for %i = 2 to 4 step 2 iter_args(%x = %f) -> (f32) {
    %s = "test.op"(%x, %i) : (f32, index) -> f32
    affine.yield %s : f32
  }
  affine.for %i = max affine_map<(d0) -> (0, d0)>(%c3) to min affine_map<(d0, d1) -> (d0, d1, 100, 50)>(%n, %n) {
    "test.op"(%i) : (index) -> ()
  }
  return %none, %carried, %once : f32, f32, f32
}
// becomes
#map = affine_map<()[s0] -> (s0, 50)>
module {
  func.func @loops(%arg0: index, %arg1: f32) -> (f32, f32, f32) {
    %c2 = arith.constant 2 : index
    %0 = "test.op"(%arg1, %c2) : (f32, index) -> f32
    affine.for %arg2 = 3 to min #map()[%arg0] {
      "test.op"(%arg2) : (index) -> ()
    }
    return %arg1, %arg1, %0 : f32, f32, f32
  }
}
// -----
// Conditions that are known.
func.func @conditions(%f: f32, %n: index) -> f32 {
  %c5 = arith.constant 5 : index
  %r = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%c5) -> f32 {
    %x = "test.then"() : () -> f32
    affine.yield %x : f32
  } else {
    affine.yield %f : f32
  }
  affine.if affine_set<(d0) : (d0 - 5 == 0, 3 - d0 >= 0)>(%c5) {
    "test.never"() : () -> ()
  }
  affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%n) {
    "test.op"() : () -> ()
  } else {
  }
  return %r : f32
}
// becomes
#set = affine_set<()[s0] : (s0 - 5 >= 0)>
module {
  func.func @conditions(%arg0: f32, %arg1: index) -> f32 {
    %0 = "test.then"() : () -> f32
    affine.if #set()[%arg1] {
      "test.op"() : () -> ()
    }
    return %0 : f32
  }
}
// -----
func.func @nests(%n: index) {
  %c0 = arith.constant 0 : index
  affine.for %k = 0 to 9 {
    %a = affine.apply affine_map<(d0) -> (d0 + 4)>(%k)
    affine.parallel (%i, %j) = (%c0, %k) to (%n, %a) {
      "test.op"(%i, %j) : (index, index) -> ()
    }
  }
  return
}
// becomes
module {
  func.func @nests(%arg0: index) {
    affine.for %arg1 = 0 to 9 {
      affine.parallel (%arg2, %arg3) = (0, %arg1) to (symbol(%arg0), %arg1 + 4) {
        "test.op"(%arg2, %arg3) : (index, index) -> ()
      }
    }
    return
  }
}
