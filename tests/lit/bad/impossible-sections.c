// RUN: gpuc -w %s -o %t
// RUN: env GPUC_DEVICE=sim %t 0 | FileCheck %s
// RUN: not env GPUC_DEVICE=sim %t -1 2>&1 | FileCheck %s --check-prefix=IMPOSSIBLE
// RUN: not env GPUC_DEVICE=sim %t 2305843009213693952 2>&1 | FileCheck %s --check-prefix=IMPOSSIBLE
// RUN: not env GPUC_DEVICE=sim %t 4611686018427387905 2>&1 | FileCheck %s --check-prefix=IMPOSSIBLE
// RUN: not env GPUC_DEVICE=sim %t -1 launch 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not env GPUC_DEVICE=sim %t 4611686018427387905 launch 2>&1 | FileCheck %s --check-prefix=LAUNCH

// A length below zero, and one of more bytes than there are numbers for, is a mistake; a length of zero is none.

#include <stdio.h>
#include <stdlib.h>

static void data(double *a, long n)
{
    // IMPOSSIBLE: error: the section of `a[0:n]` has an impossible length
    // IMPOSSIBLE: impossible-sections.c:[[#@LINE+1]]
    #pragma acc data copy(a[0:n])
    {
    }
}

static void launch(double *a, long n)
{
    // LAUNCH: error: the section of `a[0:n]` has an impossible length
    // LAUNCH: impossible-sections.c:[[#@LINE+1]]
    #pragma acc parallel loop copy(a[0:n])
    for (long i = 0; i < 4; i++)
        if (i < n)
            a[i] += 1;
}

int main(int argc, char **argv)
{
    double a[4] = {0};
    long n = argc > 1 ? strtol(argv[1], 0, 10) : 0;
    if (argc > 2)
        launch(a, n);
    data(a, n);
    launch(a, n);
    // CHECK: done
    printf("done\n");
    return 0;
}
