// A block of threads for each tile of the sizes that the program says, the first of them along the innermost loop.
// RUN: gpuc --emit=plan %s 2>/dev/null | FileCheck %s
// RUN: gpuc -Minfo=loop -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc run --device=sim %s 2>/dev/null | FileCheck %s --check-prefix=OUT
#include <stdio.h>
#define N 50
#define M 70
static float a[N][M], b[N][M], c[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = (float)(i - j);
    // CHECK: kernel main:[[@LINE+2]]
    // CHECK-NEXT: map i to block.y thread.y by 4, j to block.x thread.x by 16
    #pragma acc parallel loop tile(16, 4) copyin(a) copyout(b)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[i][j] = 2 * a[i][j] + (float)i;
    // CHECK: kernel main:[[@LINE+2]]
    // CHECK-NEXT: map k to block.x thread.x by 96
    #pragma acc parallel loop tile(96) copyin(b) copyout(c)
    for (int k = 0; k < N; k++)
        c[k] = b[k][k];
    // The sizes are the compiler's.
    // SAID-DAG: [[@LINE+1]], the sizes of these tiles are chosen by the compiler
    #pragma acc parallel loop tile(*, 4) copy(b)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[i][j] += 1;
    // SAID-DAG: warning[GPUC0027]: `tile` is not followed: a tile of 64 x 32 iterations has 2048, and a block 1024 threads at most
    #pragma acc parallel loop tile(64, 32) copy(b)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[i][j] += 1;
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            sum += b[i][j] + c[i];
    // OUT: 108500
    printf("%g\n", sum);
    return 0;
}
