// refused: 'ptr.to_ptr' op the pointer is into another address space than the buffer's
func.func @f(%m: memref<?xf32>) { %0 = ptr.to_ptr %m : memref<?xf32> -> !ptr.ptr<#gpu.address_space<workgroup>> return }
// -----
// refused: 'ptr.to_ptr' op result #0 must be pointer into an address space of 'gpu', but got 'i64'
func.func @f(%m: memref<?xf32>) { %0 = ptr.to_ptr %m : memref<?xf32> -> i64 return }
// -----
// refused: 'ptr.load' op accesses numbers and one-dimensional vectors of numbers
func.func @f(%p: !ptr.ptr<#gpu.address_space<global>>) { %0 = ptr.load %p : !ptr.ptr<#gpu.address_space<global>> -> vector<2x2xf32> return }
// -----
// refused: 'ptr.load' op alignment must be power of 2
func.func @f(%p: !ptr.ptr<#gpu.address_space<global>>) { %0 = ptr.load %p {alignment = 12 : i64} : !ptr.ptr<#gpu.address_space<global>> -> vector<4xf32> return }
// -----
// refused: 'ptr.store' op accesses numbers and one-dimensional vectors of numbers
func.func @f(%p: !ptr.ptr<#gpu.address_space<global>>, %m: memref<f32>) { ptr.store %m, %p : memref<f32>, !ptr.ptr<#gpu.address_space<global>> return }
// -----
// refused: 'ptr.field' op needs records of bytes
func.func @f(%m: memref<?x3xf32>) { %0 = ptr.field %m at 0 : memref<?x3xf32> to memref<?xf32, strided<[3]>> return }
// -----
// refused: 'ptr.field' op needs records of a known size
func.func @f(%m: memref<4x?xi8>) { %0 = ptr.field %m at 0 : memref<4x?xi8> to memref<4xf32, strided<[3]>> return }
// -----
// refused: 'ptr.field' op the member's 4 bytes from 9 on are not in a record of 12
func.func @f(%m: memref<?x12xi8>) { %0 = ptr.field %m at 9 : memref<?x12xi8> to memref<?xf32, strided<[3], offset: 2>> return }
// -----
// refused: 'ptr.field' op the member's 4 bytes from -4 on are not in a record of 12
func.func @f(%m: memref<?x12xi8>) { %0 = ptr.field %m at -4 : memref<?x12xi8> to memref<?xf32, strided<[3], offset: -1>> return }
// -----
// refused: 'ptr.field' op the members do not lie where the records do
func.func @f(%m: memref<?x12xi8>) { %0 = ptr.field %m at 4 : memref<?x12xi8> to memref<?xf32, strided<[4], offset: 1>> return }
// -----
// refused: 'ptr.field' op the members do not lie where the records do
func.func @f(%m: memref<?x12xi8>) { %0 = ptr.field %m at 4 : memref<?x12xi8> to memref<?xf32, strided<[3], offset: 2>> return }
// -----
// refused: 'ptr.field' op the members do not lie where the records do
func.func @f(%m: memref<?x12xi8>) { %0 = ptr.field %m at 2 : memref<?x12xi8> to memref<?xf32, strided<[3]>> return }
