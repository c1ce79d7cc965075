// A program uses all devices there are, and starts on the one that it is told to.
// RUN: gpuc %S/../../openacc/several_devices.c -o %t.all -lpthread
// RUN: env GPUC_DEVICE=sim GPUC_SIM_DEVICES=4 %t.all | FileCheck %s --check-prefix=RIGHT
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_SIM_DEVICES=4 ACC_DEVICE_NUM=2 %t 2>&1 | FileCheck %s --check-prefix=STARTS
// RUN: not env GPUC_DEVICE=sim GPUC_SIM_DEVICES=4 ACC_DEVICE_NUM=4 %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not env GPUC_DEVICE=sim GPUC_SIM_DEVICES=4 %t there 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: env GPUC_DEVICE=sim ACC_DEVICE_TYPE=host %t 2>&1 | FileCheck %s --check-prefix=HOST
// RIGHT: 0
// STARTS: device 2: sim (sm_90, simulated), one of 4
// STARTS: 2 of 4, 7
// NONE: error: ACC_DEVICE_NUM=`4`: there are devices 0 to 3
// HOST: 7 on the host
#include <openacc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int a[1] = {0};
    if (argc > 1) {
        #pragma acc enter data copyin(a)
        #pragma acc set device_num(3)
        // ABSENT: not found on device 3: name=a
        // ABSENT: the present table of device 3 is empty
        #pragma acc update self(a)
    }
    #pragma acc serial copy(a)
    a[0] = 7;
    if (acc_get_device_type() == acc_device_host)
        printf("%d on the host\n", a[0]);
    else
        printf("%d of %d, %d\n", acc_get_device_num(acc_device_nvidia), acc_get_num_devices(acc_device_nvidia), a[0]);
    return 0;
}
