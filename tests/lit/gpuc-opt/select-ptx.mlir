// Instruction selection is a pass like the others; launches stay, and lead to the new module.
// RUN: gpuc-opt --select-ptx=arch=sm_90 %s | FileCheck %s
// CHECK: ptx.module @kernels target "sm_90"
// CHECK: ptx.func @store
// CHECK: ptx.st
// CHECK: gpu.launch_func @kernels::@store
// RUN: gpuc-opt --gpuc-select %s | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: ptx.module @kernels target "sm_75"
// RUN: not gpuc-opt --select-ptx=arch=sm_91 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown target 'sm_91'
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @store(%buffer: memref<i32>, %value: i32) kernel {
      memref.store %value, %buffer[] : memref<i32>
      gpu.return
    }
  }
  func.func @host(%buffer: memref<i32>, %value: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%buffer : memref<i32>, %value : i32)
    return
  }
}
