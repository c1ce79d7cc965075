// Clamped, wrapped and chosen subscripts: as much is moved as the loops touch, no element beside it.
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_REPORT=1 %t 2>&1 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int n = 100;
    float *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    // CHECK: x to device: 400 bytes in 1 transfer
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        int a = i - 2;
        if (a < 0)
            a = 0;
        y[i] += x[a] + x[i + 2 < n ? i + 2 : n - 1];
    }
    // CHECK: x to device: 400 bytes in 1 transfer
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        y[i] += x[i == n - 1 ? 0 : i + 1];
    // From 5 on to 24.
    // CHECK: x to device: 80 bytes in 1 transfer
    const int m = atoi("20");
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        y[i] += x[5 + (i + 7) % m];
    printf("%g\n", (double)y[3]);
    return 0;
}
