// Inner loops of a parallel nest are nests of their own where one touches an array across its threads: squares of it go
// through memory of the block then (Hayashi et al. 2019, the x sweep of SP).
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc run --arch=sm_90 --device=sim %s | FileCheck %s --check-prefix=RAN
#include <stdio.h>

enum { n = 67, m = 45, l = 6 };
float a[l][m][n], b[l][m][n], c[2][l][n][m];

// CHECK: kernel sweep:
// CHECK: order k as
// CHECK: launches
// CHECK: stage
static void sweep(int z, int y, int x, const float p[restrict z][y][x], float q[restrict z][y][x], float r[restrict 2][z][x][y])
{
    #pragma acc kernels copyin(p[0:z][0:y][0:x]) copyout(q[0:z][0:y][0:x], r[0:2][0:z][0:x][0:y])
    for (int k = 0; k < z; k++)
        for (int j = 0; j < y; j++) {
            for (int i = 0; i < x; i++)
                q[k][j][i] = 2 * p[k][j][i];
            for (int i = 0; i < x; i++) {
                r[0][k][i][j] = q[k][j][x - 1 - i];
                r[1][k][i][j] = q[k][j][i];
            }
        }
}

// Both along the inner loops: they stay together.
// CHECK: kernel rows:
// CHECK-NOT: distribute
static void rows(int z, int y, int x, const float p[restrict z][y][x], float q[restrict z][y][x])
{
    #pragma acc kernels copyin(p[0:z][0:y][0:x]) copy(q[0:z][0:y][0:x])
    for (int k = 0; k < z; k++)
        for (int j = 0; j < y; j++) {
            for (int i = 0; i < x; i++)
                q[k][j][i] = 2 * p[k][j][i];
            for (int i = 1; i < x; i++)
                q[k][j][i] += p[k][j][i - 1];
        }
}

int main(void)
{
    for (int i = 0; i < l * m * n; i++)
        a[0][0][i] = i % 101;
    sweep(l, m, n, a, b, c);
    int wrong = 0;
    for (int k = 0; k < l; k++)
        for (int j = 0; j < m; j++)
            for (int i = 0; i < n; i++)
                wrong += c[0][k][i][j] != 2 * a[k][j][n - 1 - i] || c[1][k][i][j] != 2 * a[k][j][i];
    rows(l, m, n, a, b);
    for (int k = 0; k < l; k++)
        for (int j = 0; j < m; j++)
            for (int i = 0; i < n; i++)
                wrong += b[k][j][i] != 2 * a[k][j][i] + (i > 0 ? a[k][j][i - 1] : 0);
    // RAN: 0 wrong
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
