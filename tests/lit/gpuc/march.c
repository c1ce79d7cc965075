// A wide stencil in space is walked over plane by plane; a small grid gets several results a thread.
// tests/tests/plans.rs walks over it with other numbers, and under checkers.
// RUN: gpuc run --device=sim --arch=sm_90 %s | FileCheck %s
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s --check-prefix=AUTO
#include <stdio.h>
#include <stdlib.h>

#define A(i, j, k) a[i][j][k]
#define AXIS(x, y, z) (A(i - x, j - y, k - z) + A(i + x, j + y, k + z))
#define STAR(n) (AXIS(n, 0, 0) + AXIS(0, n, 0) + AXIS(0, 0, n))

// AUTO: march i by 64, j by 16, k by 32, rows 4, where {{[0-9]+}} blocks
// AUTO-NEXT: march i by 16, j by 16, k by 32, rows 4, where {{[0-9]+}} blocks
// AUTO-NEXT: coarsen i by 4
static void star(int n, int m, const float a[restrict n + 8][n + 8][m + 8], float b[restrict n][n][m])
{
    #pragma acc kernels copyin(a[0:n + 8][0:n + 8][0:m + 8]) copy(b[0:n][0:n][0:m])
    for (int i = 4; i < n + 4; i++)
        for (int j = 4; j < n + 4; j++)
            for (int k = 4; k < m + 4; k++)
                b[i - 4][j - 4][k - 4] = a[i][j][k] + 0.5f * STAR(1) + 0.25f * STAR(2) + 0.125f * STAR(3) + 0.0625f * STAR(4);
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
