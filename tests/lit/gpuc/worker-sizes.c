// num_workers arrives where no loop says `worker`, too, and rows get as long as a block has room for.
// RUN: gpuc -c -Minfo -DSIZE=4 %s -o %t 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: #pragma acc loop gang, worker(4), vector(128)
// RUN: gpuc -c -Minfo -DSIZE=16 %s -o %t 2>&1 | FileCheck %s --check-prefix=SIXTEEN
// SIXTEEN: #pragma acc loop gang, worker(16), vector(64)
// RUN: gpuc -c -Minfo -DSIZE=40 %s -o %t 2>&1 | FileCheck %s --check-prefix=FORTY
// FORTY: #pragma acc loop gang, worker(40), vector(16)
// RUN: not gpuc -c -DSIZE=1025 %s -o %t 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 1025 workers of vector length 1 are 1025 threads; a gang has 1 to 1024
// RUN: gpuc run --device=sim -DSIZE=size %s -- 32 | FileCheck %s --check-prefix=RIGHT
// RUN: gpuc run --device=sim -DSIZE=40 %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: 0 wrong
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 3, wrong = 0, a[1000];
    long sum = 0;
    #pragma acc parallel loop gang num_workers(SIZE) copyout(a) reduction(+:sum)
    for (int i = 0; i < 1000; i++) {
        a[i] = 3 * i;
        sum += i;
    }
    for (int i = 0; i < 1000; i++)
        wrong += a[i] != 3 * i;
    printf("%d wrong\n", wrong + (sum != 499500) + 0 * size);
    return 0;
}
