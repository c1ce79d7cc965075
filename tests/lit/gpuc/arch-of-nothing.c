// What kernels are compiled for is asked only where there are some: a variable that names nothing, or GPUs that are not there, stop
// no file without anything for the device, and no question about the installation.
// RUN: env GPUC_ARCH=sm_9 gpuc -c -DPLAIN %s -o %t.o
// RUN: env GPUC_ARCH=sm_9 gpuc --auto -c -DPLAIN %s -o %t.o
// RUN: env GPUC_ARCH=sm_9 gpuc --print-config | FileCheck %s --check-prefix=CONFIG
// RUN: env GPUC_ARCH=sm_9 gpuc --emit=ast %s | FileCheck %s --check-prefix=AST
// RUN: env GPUC_ARCH=sm_9 gpuc --arch=sm_90 -c %s -o %t.o
// RUN: not env GPUC_ARCH=sm_9 gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not env GPUC_ARCH=sm_9 gpuc --auto -c -DNEST %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -arch=sm_90 --emit=ptx %s | FileCheck %s --check-prefix=NVCC
// RUN: not gpuc -arch=sm_9 --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CONFIG: default-arch: none: unknown compute capability `sm_9` (GPUC_ARCH=`sm_9`)
// CONFIG-NEXT: archs: {{.*}}sm_90
// AST: acc parallel
// CHECK: error[GPUC0013]: unknown compute capability `sm_9` (GPUC_ARCH=`sm_9`)
// NVCC: .target sm_90
// UNKNOWN: unknown compute capability `sm_9`
void f(float *restrict a)
{
#ifndef PLAIN
#ifndef NEST
    #pragma acc parallel loop copyout(a[0:64])
#endif
    for (int i = 0; i < 64; i++)
#endif
        a[0] = 1;
}
