// A kernel that leaves its arrays is stopped, at the C line and with the array it left.
// RUN: not gpuc run --device=sim %s -- read 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not gpuc run --device=sim %s -- write 2>&1 | FileCheck %s --check-prefix=WRITE
#include <stdio.h>
#include <stdlib.h>

static void shift(int n, int by, float *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = a[i + by];
    // READ: error: out-of-bounds global read of 4 bytes
    // READ-NEXT: --> tests/lit/bad/out-of-bounds.c:[[@LINE-2]]:
    // READ: 3996 bytes after the end of `a[0:n]` (400 bytes)
    // READ: note: in this `parallel loop` of `shift`
    // READ-NEXT: --> tests/lit/bad/out-of-bounds.c:[[@LINE-7]]:5
    // READ-NOT: done
}

static void fill(int n, int first, float *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[first + i] = 1;
    // WRITE: error: out-of-bounds global write of 4 bytes
    // WRITE-NEXT: --> tests/lit/bad/out-of-bounds.c:[[@LINE-2]]:
    // WRITE: 4 bytes before the start of `a[0:n]` (400 bytes)
    // WRITE-NOT: done
}

int main(int argc, char **argv)
{
    float *a = calloc(100, sizeof *a);
    if (argc > 1 && argv[1][0] == 'r')
        shift(100, 1099, a);
    else
        fill(100, -1, a);
    printf("done %g\n", a[5]);
    return 0;
}
