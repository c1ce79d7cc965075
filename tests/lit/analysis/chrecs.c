// Andión et al. 2015, §6: chains of recurrences of CONV3D and SGEMM, plain and instantiated for threads, and what
// Algorithms 1 to 3 make of them. Lines are numbered here as they stand.
// RUN: gpuc --emit=affine --mlir-print-debuginfo %s -o %t.mlir
// RUN: gpuc-opt --print-chrecs=threads=1,0 --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=NAIVE
// RUN: gpuc-opt --print-chrecs=threads=2,1 --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=PERMUTED

// conv3d-hmpp1: loops i and j as they stand give threads of a warp different rows; j and k do not.
// NAIVE: 23, read of input: [{4, +, 1}_i][{4, +, 1}_j][{4, +, 1}_k]
// NAIVE-NEXT: T0: [4][4][{4, +, 1}_k]
// NAIVE-NEXT: T1: [4][5][{4, +, 1}_k]
// NAIVE-NEXT: not coalesced, in different rows
// PERMUTED: 23, read of input: [{4, +, 1}_i][{4, +, 1}_j][{4, +, 1}_k]
// PERMUTED-NEXT: T0: [{4, +, 1}_i][4][4]
// PERMUTED-NEXT: T1: [{4, +, 1}_i][4][5]
// PERMUTED-NEXT: coalesced
void conv3d(int sizex, int sizey, int sizez, float c,
            float input[sizex][sizey][sizez], float output[sizex][sizey][sizez])
{
#pragma acc kernels copyin(input[0:sizex][0:sizey][0:sizez]) copy(output[0:sizex][0:sizey][0:sizez])
    for (int i = 4; i < sizex - 4; i++)
        for (int j = 4; j < sizey - 4; j++)
            for (int k = 4; k < sizez - 4; k++) {
                float x = input[i][j][k] +
                    c * (input[i - 1][j][k] + input[i + 1][j][k] + input[i - 2][j][k] + input[i + 2][j][k]);
                float z = c * (input[i][j][k - 1] + input[i][j][k + 1] + input[i][j][k - 2] + input[i][j][k + 2]
                    + input[i][j][k - 3] + input[i][j][k + 3] + input[i][j][k - 4] + input[i][j][k + 4]);
                output[i][j][k] += x + z;
            }
    // conv3d-hmpp2: a thread goes on along i, so that five planes are held; conv3d-hmpp3: its neighbours read the same.
    // PERMUTED: a thread touches elements of input again: 5 accesses in lines 23, 24, 5 of them along i
    // PERMUTED-NEXT: threads of a row of 32 touch the same elements of input, up to 8 threads apart
}

// Table 3.
// NAIVE: read of A: [{0, +, 1}_i][{0, +, 1}_l]
// NAIVE-NEXT: T0: [0][{0, +, 1}_l]
// NAIVE-NEXT: T1: [0][{0, +, 1}_l]
// NAIVE-NEXT: coalesced, one element for all threads
// NAIVE-NEXT: read of B: [{0, +, 1}_l][{0, +, 1}_j]
// NAIVE-NEXT: T0: [{0, +, 1}_l][0]
// NAIVE-NEXT: T1: [{0, +, 1}_l][1]
// NAIVE-NEXT: coalesced
// NAIVE: read of C: [{0, +, 1}_i][{0, +, 1}_j]
// NAIVE-NEXT: T0: [0][0]
// NAIVE-NEXT: T1: [0][1]
// NAIVE-NEXT: coalesced
// NAIVE: a thread touches elements of C again: 2 accesses
void sgemm(int m, int n, int k, float alpha, float beta, float A[m][k], float B[k][n], float C[m][n])
{
#pragma acc kernels copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float prod = 0;
            for (int l = 0; l < k; l++)
                prod += A[i][l] * B[l][j];
            C[i][j] = alpha * prod + beta * C[i][j];
        }
}

// A triangle, every third element, a square, and what has no closed form.
// NAIVE: read of b: [{{[{]}}{1, +, 3}_i, +, 3}_j]
// NAIVE: not coalesced, 3 elements apart
// NAIVE: read of b: [{0, +, {1, +, 2}_i}_i]
// NAIVE: read of at: [{{[{]}}{0, +, 1}_i, +, 1}_j]
// NAIVE: read of b: [?]
// NAIVE-NEXT: not known
void others(int n, const int *restrict at, float *restrict a, float *restrict b)
{
#pragma acc kernels copy(a[0:n*n], b[0:4*n]) copyin(at[0:n])
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            a[j] = b[3 * j + 1] + b[i * i] + b[at[j]];
}
