// RUN: env GPUC_ARCH=sm_90 gpuc --emit=ptx %s | FileCheck %s --check-prefix=NAMED
// RUN: env GPUC_ARCH=sm_90 gpuc --arch=sm_80 --emit=ptx %s | FileCheck %s --check-prefix=OPTION
// RUN: not env GPUC_ARCH=sm_9 gpuc --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// What nobody names is the environment's to say, then the machine's.

// NAMED: .target sm_90
// OPTION: .target sm_80
// UNKNOWN: error[GPUC0013]: unknown compute capability `sm_9` (GPUC_ARCH=`sm_9`)
void twice(int n, float *a)
{
    #pragma acc kernels copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
