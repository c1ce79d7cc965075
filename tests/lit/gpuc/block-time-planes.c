// Stencils over time along three loops walk along planes where the distances of rows are known and grids may be large; else they
// stay launches of one sweep each.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc -DN=100 --arch=sm_90 --emit=plan %s -o - | FileCheck %s --check-prefix=SMALL
#ifndef N
#define N 450
#endif
// CHECK: kernel known:
// CHECK: block t by 1 over h@{{[0-9]+}} by 64, i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+}} where 1360 blocks
// CHECK: kernel unknown:
// CHECK-NOT: block t
// SMALL: kernel known:
// SMALL-NOT: block t
static float a[N][N][N], b[N][N][N];

void known(int steps)
{
    #pragma acc kernels copy(a, b)
    for (int t = 0; t < steps; t++) {
        for (int h = 1; h < N - 1; h++)
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    b[h][i][j] = a[h - 1][i][j] + a[h + 1][i][j] + a[h][i - 1][j] + a[h][i + 1][j] + a[h][i][j - 1] + a[h][i][j + 1];
        for (int h = 1; h < N - 1; h++)
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++)
                    a[h][i][j] = b[h - 1][i][j] + b[h + 1][i][j] + b[h][i - 1][j] + b[h][i + 1][j] + b[h][i][j - 1] + b[h][i][j + 1];
    }
}

void unknown(int steps, int n, float x[restrict n][n][n], float y[restrict n][n][n])
{
    #pragma acc kernels copy(x[0:n][0:n][0:n], y[0:n][0:n][0:n])
    for (int t = 0; t < steps; t++) {
        for (int h = 1; h < n - 1; h++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    y[h][i][j] = x[h - 1][i][j] + x[h + 1][i][j] + x[h][i - 1][j] + x[h][i + 1][j] + x[h][i][j - 1] + x[h][i][j + 1];
        for (int h = 1; h < n - 1; h++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    x[h][i][j] = y[h - 1][i][j] + y[h + 1][i][j] + y[h][i - 1][j] + y[h][i + 1][j] + y[h][i][j - 1] + y[h][i][j + 1];
    }
}
