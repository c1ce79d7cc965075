// A program that wants a GPU does not run on anything else.
// RUN: not env CUDA_VISIBLE_DEVICES=-1 gpuc run --require-gpu %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: error: GPUC_REQUIRE_GPU is set, but there is no GPU:
// REQUIRED: help: {{.*}}GPUC_DEVICE=sim
// REQUIRED-NOT: did run
// RUN: not env CUDA_VISIBLE_DEVICES=-1 gpuc run --device=cuda %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUDA
// CUDA: error: GPUC_DEVICE=cuda asks for a GPU, but there is no GPU:
// CUDA-NOT: did run
// RUN: not gpuc run --device=sim --require-gpu %s 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: GPUC_REQUIRE_GPU is set, but GPUC_DEVICE=sim asks for the simulator
// BOTH-NOT: did run
// RUN: gpuc %s -o %t
// RUN: not env GPUC_DEVICE=cudo %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: GPUC_DEVICE=`cudo` is not a device
// UNKNOWN: help: did you mean `cuda`?
#include <stdio.h>
int main(void)
{
    int a[4];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; i++)
        a[i] = i;
    printf("did run: %d\n", a[3]);
    return 0;
}
