// The kernels as instructions, before they are printed; the text reads back.
// RUN: gpuc --emit=ptx-ir --arch=sm_80 %s > %t.mlir
// RUN: cat %t.mlir | FileCheck %s
// CHECK: func.func @f_L12(
// CHECK: gpu.launch_func @kernels::@f_L12
// CHECK: ptx.module @kernels target "sm_80"
// CHECK: ptx.func @f_L12
// CHECK: ptx.ld_param
// RUN: gpuc-opt %t.mlir | FileCheck %s
void f(int *a)
{
    #pragma acc parallel loop copy(a[0:4])
    for (int i = 0; i < 4; i++)
        a[i] = i;
}
