// Data that is not on the device where the program says that it is.
// RUN: gpuc %s -o %t
// RUN: not env GPUC_DEVICE=sim %t present 2>&1 | FileCheck %s --check-prefix=PRESENT
// RUN: not env GPUC_DEVICE=sim %t update 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: not env GPUC_DEVICE=sim %t larger 2>&1 | FileCheck %s --check-prefix=LARGER
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = 100;
    float *a = calloc(n, sizeof *a);
    char test = argc > 1 ? argv[1][0] : 0;
    if (test == 'p') {
        // PRESENT: error: data in `present` clause was not found on device 0: name=a[0:n] host:0x
        // PRESENT-NEXT: --> tests/lit/bad/not-present.c:[[@LINE+4]]:9
        // PRESENT: `a[0:n]` is not on the device at this `parallel loop`
        // PRESENT: help: bring `a[0:n]` in with a data region or `enter data` before
        // PRESENT-NOT: done
        #pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = 1;
    } else if (test == 'u') {
        // UPDATE: error:
        // UPDATE-NEXT: --> tests/lit/bad/not-present.c:[[@LINE+2]]:9
        // UPDATE-NOT: done
        #pragma acc update device(a[0:n])
    } else {
        // LARGER: error:
        // LARGER-NEXT: --> tests/lit/bad/not-present.c:[[@LINE+4]]:9
        // LARGER-NOT: done
        #pragma acc data copyin(a[0:n / 2])
        {
        #pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = 1;
        }
    }
    printf("done %g\n", a[5]);
    return 0;
}
