// How many steps a launch executes, by what is known of a loop over time.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
float a[100][100], b[100][100], c[4000][4000], d[4000][4000];

#define SWEEP(to, from, n)                                                                    \
    for (int i = 1; i < (n) - 1; i++)                                                         \
        for (int j = 1; j < (n) - 1; j++)                                                     \
            to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);

// Launches are all that counts of small arrays: small tiles, and as many steps as leave few rounds behind them.
// CHECK: kernel small
// CHECK: block t by {{[5-9]|1[0-9]}} over i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+$}}
void small(void)
{
    #pragma acc kernels copy(a, b)
    for (int t = 0; t < 200; t++) {
        SWEEP(b, a, 100)
        SWEEP(a, b, 100)
    }
}

// Of large ones the clocks of an iteration.
// CHECK: kernel large
// CHECK: block t by {{[0-9]}} over i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+$}}
void large(void)
{
    #pragma acc kernels copy(c, d)
    for (int t = 0; t < 200; t++) {
        SWEEP(d, c, 4000)
        SWEEP(c, d, 4000)
    }
}

// Two rounds leave none for a launch of several.
// CHECK: kernel few
// CHECK-NOT: block t
void few(void)
{
    #pragma acc kernels copy(a, b)
    for (int t = 0; t < 2; t++) {
        SWEEP(b, a, 100)
        SWEEP(a, b, 100)
    }
}

// Where nothing is known one tile alone must pay, for the host not to ask how many there are.
// CHECK: kernel open
// CHECK: block t by {{[0-9]+}} over i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+$}}
void open(int steps, int n, float (*restrict x)[n], float (*restrict y)[n])
{
    #pragma acc kernels copy(x[0:n][0:n], y[0:n][0:n])
    for (int t = 0; t < steps; t++) {
        SWEEP(y, x, n)
        SWEEP(x, y, n)
    }
}

// Grids that leave multiprocessors with a block or two wait for launches: they have tiles of their own, with more steps.
// CHECK: kernel twice
// CHECK: block t by 2 over i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+}} where {{[0-9]+}} blocks
// CHECK-NEXT: block t by {{[3-9]}} over i@{{[0-9]+}} by {{[0-9]+}}, j@{{[0-9]+}} by {{[0-9]+}}, rows {{[0-9]+$}}
void twice(int steps, int n, double (*restrict x)[n], double (*restrict y)[n])
{
    #pragma acc kernels copy(x[0:n][0:n], y[0:n][0:n])
    for (int t = 0; t < steps; t++) {
        SWEEP(y, x, n)
        SWEEP(x, y, n)
    }
}
