// Iterations that load what others load are done by one thread: pixels of a filter, and its weights (Li et al. 2016, gauss).
// So they are of a small star, whose threads would move too few bytes each to keep memory busy.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s

// CHECK: kernel text:
// CHECK: coarsen i by 8 where 87040 threads
void text(int n, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            int sum = 0;
            for (int y = -2; y <= 2; y++)
                for (int x = -2; x <= 2; x++)
                    sum += (3 - (x < 0 ? -x : x)) * (3 - (y < 0 ? -y : y)) * in[(i + y) * n + j + x];
            out[i * n + j] = sum / 81;
        }
}

// CHECK: kernel array:
// CHECK: coarsen i by 16
void array(int n, const int *restrict weight, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc kernels copyin(weight[0:25], in[0:n*n]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            int sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    sum += weight[y * 5 + x] * in[(i + y - 2) * n + j + x - 2];
            out[i * n + j] = sum / 256;
        }
}

// CHECK: kernel star:
// CHECK: coarsen i by 4 where 87040 threads
void star(int n, const float *restrict in, float *restrict out)
{
#pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            out[i * n + j] = in[(i - 1) * n + j] + in[(i + 1) * n + j] + in[i * n + j - 1] + in[i * n + j + 1];
}

// Of a star of 25 points in space most loads lie along rows, which no run of iterations has in common: four iterations
// leave 19 loads of 21 that two do, and eight leave 18.
// CHECK: kernel space:
// CHECK: coarsen i by 4
void space(int n, const float a[restrict n][n][n], float b[restrict n][n][n])
{
#pragma acc kernels copyin(a[0:n][0:n][0:n]) copy(b[0:n][0:n][0:n])
    for (int i = 4; i < n - 4; i++)
        for (int j = 4; j < n - 4; j++)
            for (int k = 4; k < n - 4; k++)
                b[i][j][k] = a[i][j][k]
                           + a[i-1][j][k] + a[i+1][j][k] + a[i-2][j][k] + a[i+2][j][k] + a[i-3][j][k] + a[i+3][j][k] + a[i-4][j][k] + a[i+4][j][k]
                           + a[i][j-1][k] + a[i][j+1][k] + a[i][j-2][k] + a[i][j+2][k] + a[i][j-3][k] + a[i][j+3][k] + a[i][j-4][k] + a[i][j+4][k]
                           + a[i][j][k-1] + a[i][j][k+1] + a[i][j][k-2] + a[i][j][k+2] + a[i][j][k-3] + a[i][j][k+3] + a[i][j][k-4] + a[i][j][k+4];
}

// Where the result is read as well, memory moves half as much again, and the first-level cache is not what takes longest: the
// planes come nine times from the second-level one.
// CHECK: kernel added:
// CHECK: coarsen i by 4
void added(int n, const float a[restrict n][n][n], float b[restrict n][n][n])
{
#pragma acc kernels copyin(a[0:n][0:n][0:n]) copy(b[0:n][0:n][0:n])
    for (int i = 4; i < n - 4; i++)
        for (int j = 4; j < n - 4; j++)
            for (int k = 4; k < n - 4; k++)
                b[i][j][k] += a[i][j][k]
                            + a[i-1][j][k] + a[i+1][j][k] + a[i-2][j][k] + a[i+2][j][k] + a[i-3][j][k] + a[i+3][j][k] + a[i-4][j][k] + a[i+4][j][k]
                            + a[i][j-1][k] + a[i][j+1][k] + a[i][j-2][k] + a[i][j+2][k] + a[i][j-3][k] + a[i][j+3][k] + a[i][j-4][k] + a[i][j+4][k]
                            + a[i][j][k-1] + a[i][j][k+1] + a[i][j][k-2] + a[i][j][k+2] + a[i][j][k-3] + a[i][j][k+3] + a[i][j][k-4] + a[i][j][k+4];
}
