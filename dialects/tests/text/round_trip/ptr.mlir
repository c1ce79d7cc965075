module {
  gpu.module @k {
    gpu.func @pointers(%arg0: memref<?xf32>, %arg1: index, %arg2: i32) workgroup(%arg3 : memref<4x8xi32, #gpu.address_space<workgroup>>) kernel {
      %0 = ptr.to_ptr %arg0 : memref<?xf32> -> !ptr.ptr<#gpu.address_space<global>>
      %1 = ptr.ptr_add %0, %arg1 : !ptr.ptr<#gpu.address_space<global>>, index
      %2 = ptr.load %1 : !ptr.ptr<#gpu.address_space<global>> -> f32
      %3 = ptr.load invariant %1 {alignment = 16 : i64} : !ptr.ptr<#gpu.address_space<global>> -> vector<4xf32>
      ptr.store %2, %1 : f32, !ptr.ptr<#gpu.address_space<global>>
      ptr.store %3, %1 {alignment = 8 : i64} : vector<4xf32>, !ptr.ptr<#gpu.address_space<global>>
      %4 = ptr.to_ptr %arg3 : memref<4x8xi32, #gpu.address_space<workgroup>> -> !ptr.ptr<#gpu.address_space<workgroup>>
      %5 = ptr.ptr_add %4, %arg2 : !ptr.ptr<#gpu.address_space<workgroup>>, i32
      %6 = ptr.load %5 : !ptr.ptr<#gpu.address_space<workgroup>> -> i32
      gpu.return
    }
  }
  func.func @members(%arg0: memref<?x16xi8>, %arg1: memref<?x?x12xi8, strided<[?, 12, 1]>>) {
    %field = ptr.field %arg0 at 8 : memref<?x16xi8> to memref<?xf64, strided<[2], offset: 1>>
    %field_0 = ptr.field %arg1 at 4 : memref<?x?x12xi8, strided<[?, 12, 1]>> to memref<?x?xf32, strided<[?, 3], offset: 1>>
    return
  }
}
