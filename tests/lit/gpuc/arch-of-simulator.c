// RUN: env GPUC_ARCH= gpuc run --device=sim --device-model=v100 %s | FileCheck %s
// RUN: env GPUC_ARCH= GPUC_SIM_ARCH=sm_70 GPUC_DEVICE=sim gpuc run %s | FileCheck %s
// RUN: not env GPUC_ARCH=sm_80 gpuc run --device=sim --device-model=v100 %s 2>&1 | FileCheck %s --check-prefix=NEWER

// Where the simulator runs a program at once, its kernels are for what that stands for.

// CHECK: 6
// NEWER: sm_80
#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < 4; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
