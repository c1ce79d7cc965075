// Li et al. 2016, §3.2: what of each array a block would have in shared memory. The paper's example is the first nest; its
// transactions count 256 bytes in eq. 12.
// RUN: gpuc --emit=affine --mlir-print-debuginfo %s -o %t.mlir
// RUN: gpuc-opt "--print-share-partitions=threads=1,0 seeds=B[*][TB_X],A[TB_Y][*]:coalesce transaction=256" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=PAPER
// RUN: gpuc-opt "--print-share-partitions=threads=1,0 seeds=B[*][TB_X],A[TB_Y][*]:coalesce transaction=256 trips=480" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=SMALLER
// RUN: gpuc-opt "--print-share-partitions=threads=1,0" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: gpuc-opt "--print-share-partitions=threads=1,0 seeds=in[TB_Y]" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: gpuc-opt "--print-share-partitions=threads=1,0 seeds=in[TB_Y-2000][4]" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: gpuc-opt "--print-share-partitions=threads=0 seeds=halo[8]" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=HALO
// RUN: gpuc-opt "--print-share-partitions=threads=1,0 share=1 seeds=B[1024][TB_X]" --remarks %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not gpuc-opt "--print-share-partitions=seeds=A[TB_W]" %t.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=WRONG

// Eq. 12: 8 n TB_Y (TB_X + 32) = 8 * 1024 * 32 * 64. Eq. 13: k1 + k2 <= 96.
// PAPER: candidates for shared memory: A, B, C
// PAPER-NEXT: iterations: i by TB_Y, j by TB_X, k by *
// PAPER-NEXT: block: 32 by 32 by 1, profit 16777216 bytes
// PAPER-NEXT: A[32][32], to be coalesced: 1048576 loads of 131072 bytes, 32768 transactions: shared for reuse and order
// PAPER-NEXT: B[32][32]: 1048576 loads of 131072 bytes, 0 transactions: shared for reuse
// PAPER-NEXT: C[32][32]: 1024 loads of 4096 bytes, 0 transactions: not shared
// PAPER-NEXT: k1 + k2 <= 96: k1 = 32, k2 = 32
// PAPER-NEXT: 8192 bytes a block, 2048 threads resident (eq. 11: 6144)
// PAPER-NEXT: to choose from: 2 partitions, 22020096 combinations
// PAPER: no partition for shared memory: no array `B` is used here
// SMALLER: block: 32 by 32 by 1, profit 7864320 bytes
// SMALLER: k1 + k2 <= 96: k1 = 32, k2 = 32
// Without a pragma A is found by itself.
// ALL: block: 32 by 32 by 1, profit 12582912 bytes
// ALL-NEXT: A[32][32]: 1048576 loads of 131072 bytes, 32768 transactions: shared for reuse and order
// LARGE: no partition for shared memory: no partition keeps the limits of shared memory
// WRONG: `seeds` expects `TB_X`, `TB_Y`, `TB_Z` or an integer at byte 2
void gemm(int n, float a, float b, const float *restrict A, const float *restrict B, float *restrict C)
{
#pragma acc kernels copyin(A[0:n*n], B[0:n*n]) copy(C[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float ab = 0.0f;
            for (int k = 0; k < n; k++)
                ab += A[i * n + k] * B[k * n + j];
            C[i * n + j] = a * ab + b * C[i * n + j];
        }
}

// A column of a block is a transaction for each thread.
// ALL: candidates for shared memory: in, out
// ALL: in[32][32]: 1024 loads of 4096 bytes, 0 transactions: not shared
// ALL-NEXT: out[32][32]: 0 loads of 4096 bytes, 1024 transactions: shared for order
// DIMS: no partition for shared memory: `in` has 2 dimensions, and 1 lengths are given
// LENGTH: no partition for shared memory: a length of `in` is not a positive number in any block
void transpose(int n, const float *restrict in, float *restrict out)
{
#pragma acc kernels copyin(in[0:n*n]) copyout(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = in[i * n + j];
}

// The hull of 25 neighbours, five rows of them at a time at most.
// ALL: candidates for shared memory: weight, in, out
// ALL: in[35][36]: 25600 loads of 1296 bytes, 0 transactions: shared for reuse
// ALL: 5*k1 + 9*k2 <= 2793: k1 = 4, k2 = 4
void gauss(int n, const unsigned char *restrict in, const float *restrict weight, unsigned char *restrict out)
{
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

// Two references, two elements apart: eight iterations touch ten elements (the paper's B[-1:9]).
// HALO: candidates for shared memory: halo, out
// HALO-NEXT: iterations: i by 8
// HALO: halo[10]: 16 loads of 40 bytes, 0 transactions: shared for reuse
void neighbours(int n, const float *restrict halo, float *restrict out)
{
#pragma acc kernels copyin(halo[0:n]) copy(out[0:n])
    for (int i = 1; i < n - 1; i++)
        out[i] = halo[i + 1] + halo[i - 1];
}
