// Device memory that was given back serves later requests, where a pool is asked for: of the simulator it is not by default.
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_POOL=1 %t 2>/dev/null | FileCheck %s --check-prefix=OUT
// RUN: env GPUC_DEVICE=sim GPUC_TIME=1 GPUC_POOL=1 %t 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: env GPUC_DEVICE=sim GPUC_TIME=1 %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not env GPUC_DEVICE=sim GPUC_POOL=some %t 2>&1 | FileCheck %s --check-prefix=BAD
#include <stdio.h>
#define N 1000

static int a[N];

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 4; round++) {
        int n = N - 10 * round;
        #pragma acc parallel loop copyout(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = i + round;
        sum += a[n - 1];
    }
    printf("%ld\n", sum);
    // OUT: 3942
    return 0;
}
// POOL: device memory devicenum=0
// POOL-NEXT: allocations: 4 from the pool: 3 most bytes in use: 4,096 held: 4,096
// NONE: device memory devicenum=0
// NONE-NEXT: allocations: 4 from the pool: 0 most bytes in use: 4,000 held: 4,000
// BAD: GPUC_POOL
