// docs/passes.md shows this kernel and what becomes of it.
// RUN: gpuc-opt --pass-pipeline='builtin.module(dynamic-shared-memory{arch=sm_90})' %s | golden
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @large(%a: memref<?xf32>) workgroup(%s: memref<8192xf32, #gpu.address_space<workgroup>>, %t: memref<8192xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %s[%i] : memref<8192xf32, #gpu.address_space<workgroup>>
      memref.store %x, %t[%i] : memref<8192xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @small(%a: memref<?xf32>) workgroup(%s: memref<8192xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %s[%i] : memref<8192xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
  func.func @launches(%n: index, %a: memref<?xf32>) {
    gpu.launch_func @kernels::@large blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?xf32>)
    gpu.launch_func @kernels::@small blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?xf32>)
    return
  }
}
