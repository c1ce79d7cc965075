// A stencil in space plane by plane: the same as on the host, without a race, and each element is asked for less than twice.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s --check-prefix=AUTO
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | sed -e '/coarsen/d' -e '/march i by 16/d' -e 's/march.*/march i by 6, j by 8, k by 32, rows 4/' > %t.plan
// RUN: gpuc --arch=sm_90 --plan=%t.plan -Minfo %s -o %t 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc check --arch=sm_90 --plan=%t.plan %s -- 8 32 | FileCheck %s
// RUN: gpuc check --arch=sm_90 --plan=%t.plan %s -- 13 37 | FileCheck %s
// RUN: gpuc check --arch=sm_90 --plan=%t.plan %s -- 1 1 | FileCheck %s
// RUN: gpuc check --arch=sm_90 --plan=%t.plan %s -- 0 5 | FileCheck %s
// RUN: sed -e 's/rows 4/rows 3/' %t.plan > %t.3.plan
// RUN: not gpuc --arch=sm_90 --plan=%t.3.plan %s -o %t 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed -e 's/j by 8/j by 512/' -e 's/rows 4/rows 32/' %t.plan > %t.4.plan
// RUN: not gpuc --arch=sm_90 --plan=%t.4.plan %s -o %t 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed -e 's/march i/march k/' -e 's/k by 32/i by 32/' %t.plan > %t.5.plan
// RUN: not gpuc --arch=sm_90 --plan=%t.5.plan %s -o %t 2>&1 | FileCheck %s --check-prefix=LOOPS
#include <stdio.h>
#include <stdlib.h>

#define A(i, j, k) a[i][j][k]
#define AXIS(x, y, z) (A(i - x, j - y, k - z) + A(i + x, j + y, k + z))
#define STAR(n) (AXIS(n, 0, 0) + AXIS(0, n, 0) + AXIS(0, 0, n))

// AUTO: march i by 64, j by 16, k by 32, rows 4, where {{[0-9]+}} blocks
// AUTO-NEXT: march i by 16, j by 16, k by 32, rows 4, where {{[0-9]+}} blocks
// AUTO-NEXT: coarsen i by 4
// SAID: Walks over 6 planes of i a block from 0 blocks on: tile j by 8, k by 32; planes of a in registers and shared memory, 2.25 loads an iteration, not 25; threads 2 by 32
// ROWS: 'march' is refused: the rows of a block are no multiple of those of a thread
// LARGE: 'march' is refused: a thread would hold too many elements in registers
// LOOPS: 'march' is refused: the nest of these three loops
static void star(int n, int m, const float a[restrict n + 8][n + 8][m + 8], float b[restrict n][n][m])
{
    #pragma acc kernels copyin(a[0:n + 8][0:n + 8][0:m + 8]) copy(b[0:n][0:n][0:m])
    for (int i = 4; i < n + 4; i++)
        for (int j = 4; j < n + 4; j++)
            for (int k = 4; k < m + 4; k++)
                b[i - 4][j - 4][k - 4] += a[i][j][k] + 0.5f * STAR(1) + 0.25f * STAR(2) + 0.125f * STAR(3) + 0.0625f * STAR(4);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 8, m = argc > 2 ? atoi(argv[2]) : 32, wrong = 0;
    size_t count = (size_t)(n + 8) * (n + 8) * (m + 8);
    float (*a)[n + 8][m + 8] = malloc(count * sizeof(float)), (*b)[n][m] = calloc(count, sizeof(float));
    for (size_t i = 0; i < count; i++)
        (&a[0][0][0])[i] = (float)(i * 7919 % 64);
    star(n, m, (const void *)a, b);
    for (int i = 4; i < n + 4; i++)
        for (int j = 4; j < n + 4; j++)
            for (int k = 4; k < m + 4; k++)
                wrong += b[i - 4][j - 4][k - 4] != a[i][j][k] + 0.5f * STAR(1) + 0.25f * STAR(2) + 0.125f * STAR(3) + 0.0625f * STAR(4);
    // CHECK: wrong: 0
    printf("wrong: %d\n", wrong);
    free(a);
    free(b);
    return wrong != 0;
}
