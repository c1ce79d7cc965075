// A star of five moves 8 bytes an iteration: where memory is faster than such threads come and go (Little), each takes four rows. Of doubles
// one is enough.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s --check-prefix=FAST
// FAST-LABEL: kernel star:
// FAST: coarsen i by 4 where
// FAST-LABEL: kernel stars:
// FAST-NOT: coarsen
// RUN: gpuc --arch=sm_75 --emit=plan %s -o - | FileCheck %s --check-prefix=SLOW
// SLOW-LABEL: kernel star:
// SLOW-NOT: coarsen
void star(int n, const float a[restrict n][n], float b[restrict n][n])
{
    #pragma acc kernels
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = 0.2f * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}

void stars(int n, const double a[restrict n][n], double b[restrict n][n])
{
    #pragma acc kernels
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}
