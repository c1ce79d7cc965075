// Sections whose rows turn out not to be those of the array.
// RUN: gpuc %s -o %t
// RUN: not env GPUC_DEVICE=sim %t 3 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not env GPUC_DEVICE=sim %t 9 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: env GPUC_DEVICE=sim %t 8 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: not gpuc -c -DKNOWN %s -o %t.o 2>&1 | FileCheck %s --check-prefix=KNOWN
#include <stdio.h>
#include <stdlib.h>

float a[4][8];

#ifdef KNOWN
void known(int m, float b[4][m])
{
    // KNOWN: error: this section is larger than the array
    // KNOWN-NEXT: --> tests/lit/bad/rows.c:[[@LINE+1]]:41
    #pragma acc enter data copyin(b[0:4][0:m + 1])
    // KNOWN: error: this section is not one stretch of memory
    #pragma acc enter data copyin(b[0:4][0:m - 1])
}
#endif

int main(int argc, char **argv)
{
    int m = atoi(argv[argc - 1]);
    // LESS: error: section a[0:4][0:m] is not one stretch of memory: 3 elements of rows of 8
    // LESS: --> tests/lit/bad/rows.c:[[@LINE+3]]:9
    // MORE: error: section a[0:4][0:m] is larger than the array: 9 elements of rows of 8
    // EQUAL: 5
        #pragma acc parallel loop copy(a[0:4][0:m])
    for (int i = 0; i < 4; i++)
        a[i][2] = 5;
    printf("%g\n", a[3][2]);
    return 0;
}
