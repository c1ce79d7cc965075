// Which gang has which iterations is the compiler's choice, and it says so; loops of a region wait for each other.
// RUN: gpuc -c -Minfo %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: gpuc run --device=sim %s 2>&1 | FileCheck %s
#include <stdio.h>

int main(void)
{
    static int a[1000], b[1000];
    int chunk = 7;
    #pragma acc parallel num_gangs(8) copy(a, b)
    {
        // INFO: 13, the compiler chooses which gang has which iterations: gang loops of a region wait for each other
        #pragma acc loop gang(static: chunk) vector
        for (int i = 0; i < 1000; i++)
            a[i] = i;
        #pragma acc loop gang(static: *) vector
        for (int i = 0; i < 1000; i++)
            b[i] = a[999 - i];
    }
    // CHECK: 999 0
    printf("%d %d\n", b[0], b[999]);
    return 0;
}
