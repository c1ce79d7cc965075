// Iterations that move little memory are done before the next blocks are started: blocks of twice as many threads.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc run --device=sim --arch=sm_90 %s | FileCheck %s --check-prefix=RESULT
// RESULT: 1200 1 2 0
#include <stdio.h>

// CHECK: kernel fill
// CHECK: map i to block.x thread.x by 512
void fill(int n, float *restrict b)
{
    #pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = 1;
}

// CHECK: kernel plane
// CHECK: map i to block.y thread.y by 4, j to block.x thread.x by 128
void plane(int n, float (*restrict b)[n])
{
    #pragma acc parallel loop collapse(2) copyout(b[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = i + j;
}

// CHECK: kernel threshold
// CHECK: map i to block.x thread.x by 512
void threshold(int n, const unsigned char *restrict a, unsigned char *restrict b)
{
    #pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = a[i] > 128 ? 255 : 0;
}

// What is read and written goes both ways.
// CHECK: kernel scale
// CHECK: map i to block.x thread.x by 256
void scale(int n, float *restrict a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}

// A loop of its own makes threads long.
// CHECK: kernel powers
// CHECK: map i to block.x thread.x by {{32|64|128|256}}
void powers(int n, int m, float *restrict b)
{
    #pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        float product = 1;
        for (int k = 0; k < m; k++)
            product = product * 1.5f + k;
        b[i] = product;
    }
}

int main(void)
{
    enum { N = 1201 };
    static float a[N], square[37][37];
    static unsigned char from[N], to[N];
    fill(N, a);
    plane(37, square);
    int right = square[36][36] == 72;
    scale(N - 1, a);
    for (int i = 0; i < N; i++)
        from[i] = i;
    threshold(N, from, to);
    int wrong = !right;
    for (int i = 0; i < N; i++)
        wrong += to[i] != (from[i] > 128 ? 255 : 0);
    powers(N - 1, 0, a);
    int ones = 0;
    for (int i = 0; i < N - 1; i++)
        ones += a[i] == 1;
    printf("%d %g %d %d\n", ones, a[N - 1], 2 * right, wrong);
    return 0;
}
