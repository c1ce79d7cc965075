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
