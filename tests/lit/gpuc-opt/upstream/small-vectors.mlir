// RUN: gpuc-opt %s --test-vector-emulate-masked-load-store --test-vector-extract-strided-slice-lowering --test-vector-break-down-bitcast --test-gpu-rewrite | FileCheck %s
// RUN: gpuc-opt %s --test-vector-emulate-masked-load-store --test-vector-extract-strided-slice-lowering --test-vector-break-down-bitcast --run=rows | FileCheck %s --check-prefix=EXEC
// RUN: gpuc-opt %s --run=rows | FileCheck %s --check-prefix=EXEC

// Only elements whose bit is set are touched: the last ones are outside of the buffer.

// CHECK-LABEL: func.func @rows
// CHECK-NOT: vector.masked
// CHECK: scf.if
// CHECK: memref.store
// CHECK-NOT: vector.masked
// CHECK: scf.if
// CHECK: memref.load
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [4], sizes = [4], strides = [1]} : vector<8xi8> to vector<4xi8>
// CHECK: vector.bitcast %{{.*}} : vector<4xi8> to vector<2xi16>
// EXEC: ( 1, 7, 9, 9 )
// EXEC: ( 9, 9 )
// EXEC: 7
// EXEC: ( 258, 772, 1286, 1800 )
func.func @rows() -> (vector<4xi32>, vector<2xi32>, i32, vector<4xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %m = memref.alloc() : memref<2xi32>
  memref.store %one, %m[%c0] : memref<2xi32>
  %row = vector.broadcast %seven : i32 to vector<4xi32>
  %second = vector.create_mask %c1 : vector<4xi1>
  vector.maskedstore %m[%c1], %second, %row : memref<2xi32>, vector<4xi1>, vector<4xi32>
  %nine = arith.constant dense<9> : vector<4xi32>
  %both = vector.create_mask %c2 : vector<4xi1>
  %loaded = vector.maskedload %m[%c0], %both, %nine : memref<2xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  %slice = vector.extract_strided_slice %loaded {offsets = [2], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
  %stored = memref.load %m[%c1] : memref<2xi32>
  %bytes = arith.constant dense<[2, 1, 4, 3, 6, 5, 8, 7]> : vector<8xi8>
  %halves = vector.bitcast %bytes : vector<8xi8> to vector<4xi16>
  memref.dealloc %m : memref<2xi32>
  return %loaded, %slice, %stored, %halves : vector<4xi32>, vector<2xi32>, i32, vector<4xi16>
}

// CHECK-LABEL: func.func @ids
// CHECK: %[[B:.*]] = gpu.block_id y
// CHECK: %[[D:.*]] = gpu.block_dim y
// CHECK: %[[S:.*]] = index.mul %[[B]], %[[D]]
// CHECK: %[[T:.*]] = gpu.thread_id y
// CHECK: index.add %[[T]], %[[S]]
func.func @ids() -> index {
  %0 = gpu.global_id y
  return %0 : index
}

// CHECK-LABEL: func.func @halves
// CHECK: %{{.*}}, %[[LV:.*]] = gpu.shuffle xor %{{.*}}, %arg1, %arg2 : i32
// CHECK: %{{.*}}, %[[HV:.*]] = gpu.shuffle xor %{{.*}}, %arg1, %arg2 : i32
// CHECK: %[[V:.*]] = arith.andi %[[LV]], %[[HV]] : i1
// CHECK: return %{{.*}}, %[[V]]
func.func @halves(%x: f64, %offset: i32, %width: i32) -> (f64, i1) {
  %moved, %valid = gpu.shuffle xor %x, %offset, %width : f64
  return %moved, %valid : f64, i1
}
