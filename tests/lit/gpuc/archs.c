// Code for several architectures in one object; a device takes the best that it can, and one that none is for says so.
// RUN: gpuc --arch=sm_90,sm_75,sm_90 --emit=host-c %s -o - | FileCheck %s --check-prefix=TEXT
// RUN: gpuc -gpu=cc90,cc75 %s -o %t.program
// RUN: env GPUC_DEVICE=sim GPUC_SIM_ARCH=sm_75 %t.program 2>&1 | FileCheck %s
// RUN: env GPUC_DEVICE=sim GPUC_SIM_ARCH=sm_80 %t.program 2>&1 | FileCheck %s
// RUN: env GPUC_DEVICE=sim GPUC_SIM_ARCH=sm_100 %t.program 2>&1 | FileCheck %s
// RUN: not env GPUC_DEVICE=sim GPUC_SIM_ARCH=sm_70 %t.program 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not gpuc --arch=sm_75,sm_1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
#include <stdio.h>

int main(void)
{
    int a[100], n = 100;
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 3 * i;
    printf("a[99] is %d\n", a[99]);
    return 0;
}
// TEXT: .target sm_75
// TEXT: static const struct __gpuc_kernel __gpuc_kernels_0[] = {
// TEXT-NEXT: { "main_L14_kernel", "{{u64 u32|u32 u64}}" }
// TEXT: .target sm_90
// TEXT: static const struct __gpuc_code __gpuc_codes_0[] = {
// TEXT-NEXT: { "sm_75", __gpuc_ptx_0, sizeof __gpuc_ptx_0 - 1, __gpuc_kernels_0, 1u }
// TEXT-NEXT: { "sm_90", __gpuc_ptx_1, sizeof __gpuc_ptx_1 - 1, __gpuc_kernels_1, 1u }
// TEXT: static struct __gpuc_image __gpuc_image_0 = { 2u, {{.*}}, __gpuc_codes_0, 2u, (void *)0 };
// CHECK: a[99] is 297
// OLD: error: {{.*}}archs.c is compiled for sm_75, the device is sm_70
// BAD: unknown compute capability `sm_1`
