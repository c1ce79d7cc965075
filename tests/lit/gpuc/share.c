// The `share` pragma (Li et al. 2016, fig. 1 and 2a): which steps of the plan it becomes. The paper's product has blocks of 32
// by 32 and k1 = k2 = 32.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc --arch=sm_90 -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO

// CHECK: kernel gemm:[[@LINE+9]]
// CHECK: collapse i, j
// CHECK-NEXT: tile i by 32, j by 32, k by 32, threads 4 by 4, wide, where 1 blocks
// CHECK-NEXT: tile i by 32, j by 32, k by 32, threads 4 by 4, where 1 blocks
// CHECK-NEXT: map
// INFO: share: blocks of 32 by 32 by 1 iterations, of the candidates A, B, C
void gemm(int n, float a, float b, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc share(B[*][TB_X], A[TB_Y][*]:coalesce)
    #pragma acc kernels loop independent copyin(A[0:n*n], B[0:n*n]) copy(C[0:n*n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop independent
        for (int j = 0; j < n; j++) {
            float ab = 0.0f;
            for (int k = 0; k < n; k++)
                ab += A[i * n + k] * B[k * n + j];
            C[i * n + j] = a * ab + b * C[i * n + j];
        }
    }
}

// Lengths by numbers and expressions: macros are expanded, and `×` is a sign of the grammar.
// CHECK: kernel numbers:
// CHECK: tile i by 64, j by 128, k by 8, threads 8 by 8
#define ROWS 64
void numbers(int n, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc share(A[ROWS*2/2][8])
    #pragma acc share(B[8][32×4])
    #pragma acc kernels copyin(A[0:n*n], B[0:n*n]) copyout(C[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float ab = 0.0f;
            for (int k = 0; k < n; k++)
                ab += A[i * n + k] * B[k * n + j];
            C[i * n + j] = ab;
        }
}

// CHECK: kernel mt:
// CHECK: stage i, j where 1 iterations
void mt(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(in[TB_X][TB_Y]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copyout(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = in[j * n + i];
}

// CHECK: kernel gauss:
// CHECK: share in over i by 32, j by 32, rows 4, where 1 blocks
void gauss(int n, const unsigned char *restrict in, const float *restrict weight, unsigned char *restrict out)
{
    #pragma acc share(in[TB_Y][TB_X])
    #pragma acc kernels copyin(in[0:n*n], weight[0:25]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            float sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    sum += weight[y * 5 + x] * in[(i + y - 2) * n + j + x - 2];
            out[i * n + j] = sum;
        }
}

// The nest that it stands in front of, and no other; what a plan says comes first.
// CHECK: kernel several:
// CHECK: collapse i@{{[0-9]+}}, j
// CHECK: stage i@[[@LINE+9]], j where 1 iterations
// CHECK-NOT: stage
// CHECK: map
void several(int n, float a[restrict n][n], float b[restrict n][n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n])
    {
        #pragma acc share(a[*][*]:coalesce)
        #pragma acc loop independent
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b[i][j] += a[j][i];
        for (int i = 0; i < n; i++)
            a[i][0] = i;
    }
}

// Squares of another side; rows that are summed up are a warp's, or as many lanes' as the block works on columns at a time.
// CHECK: kernel squares:
// CHECK: stage i, j by 16 where 1 iterations
void squares(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(in[16][16]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copyout(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = in[j * n + i];
}

// CHECK: kernel mv:
// CHECK: parallel i, j
// CHECK-NEXT: spread i over 32 where 1 rounds
// CHECK-NEXT: map
// INFO: `spread i over 32 where 1 rounds`
void mv(int n, const float *restrict A, const float *restrict x, float *restrict y)
{
    #pragma acc share(A[TB_X][*]:coalesce)
    #pragma acc kernels copyin(A[0:n*n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

// CHECK: kernel mv_by_16:
// CHECK: spread i over 16 where 1 rounds
void mv_by_16(int n, const float *restrict A, const float *restrict x, float *restrict y)
{
    #pragma acc share(A[TB_X][16])
    #pragma acc kernels copyin(A[0:n*n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}
