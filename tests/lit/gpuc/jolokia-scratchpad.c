// RUN: gpuc -fjolokia --emit=plan %s -o - | FileCheck %s
// Blocks as large as `tile` says, which keep what `scratchpad` names, with sizes or without; and with `tile` alone nothing is kept
// (Patel 2014, algorithm 4.4). The bounds are passed by value.
static void product(int m, int n, int k, const float *A, const float *B, float *C)
{
    _for (int i = 0; i < m; i++)
        _for (int j = 0; j < n; j++) {
            float dot = 0;
            for (int l = 0; l < k; l++)
                dot += A[i * k + l] * B[l * n + j];
            C[i * n + j] = dot;
        }
}

void all(int m, int n, int k, const float *A, const float *B, float *C)
{
    // CHECK: kernel all:[[#@LINE+3]]
    // CHECK: tile i by 8, j by 16, l by 16, threads 1 by 1, where 1 blocks
    // CHECK: map i to block.y thread.y by 8, j to block.x thread.x by 16
    #pragma jolokia gpuIn(A, B) gpuOut(C) tile(16, 8, 1) scratchpad(A, 16, 16, 1) scratchpad(B, 16, 16, 1)
    product(m, n, k, A, B, C);
    // CHECK: kernel all:[[#@LINE+3]]
    // CHECK: tile i by 16, j by 16, l by 16, threads 1 by 1, where 1 blocks
    // CHECK: map i to block.y thread.y by 16, j to block.x thread.x by 16
    #pragma jolokia gpuIn(A, B) gpuOut(C) tile(16, 16) scratchpad(A) scratchpad(B)
    product(m, n, k, A, B, C);
    // CHECK: kernel all:[[#@LINE+4]]
    // CHECK-NOT: tile
    // CHECK-NOT: where
    // CHECK: map i to block.y thread.y by 8, j to block.x thread.x by 32
    #pragma jolokia gpuIn(A, B) gpuOut(C) tile(32, 8)
    product(m, n, k, A, B, C);
}
