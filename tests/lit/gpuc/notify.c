// GPUC_NOTIFY by its bits, and GPUC_DEBUG.
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_NOTIFY=1 %t 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH-NOT: gpuc
// LAUNCH: gpuc: {{.*}}notify.c:{{[0-9]+}}: main: launch {{[a-zA-Z_0-9]+}} grid 1 x 1 x 1 block 256 x 1 x 1 in queue 3
// LAUNCH-NOT: gpuc
// LAUNCH: 202
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_NOTIFY=14 %t 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: main: begin `data`: the entry of its data
// MORE-NEXT: main: upload a[0:n] (808 bytes) at device address 0x
// MORE-NEXT: main: end `data`: the entry of its data
// MORE-NEXT: main: begin `parallel loop`: it
// MORE-NOT: launch
// MORE: main: end `parallel loop`: it
// MORE-NEXT: main: wait for `wait`
// MORE: main: download a[0:n] (808 bytes)
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_NOTIFY=16 %t 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: main: allocate a[0:n] (808 bytes)
// MEMORY-NEXT: main: create a[0:n] (808 bytes)
// MEMORY: main: delete a[0:n]
// MEMORY: main: free a[0:n]
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_DEBUG=1 %t 2>&1 | FileCheck %s --check-prefix=DEBUG
// DEBUG: main: upload a[0:n]
// DEBUG: main: present a[0:n] (808 bytes) at host address 0x{{.*}}, structured 1, dynamic 0
// DEBUG: main: launch
// RUN: not env GPUC_DEVICE=sim GPUC_NOTIFY=all %t 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: GPUC_NOTIFY=`all` is not a number from 0 to 31
#include <stdio.h>

int main(void)
{
    int n = 202, a[202];
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc data copy(a[0:n])
    {
        #pragma acc parallel loop async(3)
        for (int i = 0; i < n; i++)
            a[i]++;
        #pragma acc wait(3)
    }
    printf("%d\n", a[n - 1]);
    return 0;
}
