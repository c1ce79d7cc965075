// Threads with a long loop of their own come in narrow blocks, so that few of them reach many multiprocessors: 64, as few as fill one
// with all the blocks that it holds, and a warp where there are known to be few. What the program asks for is done.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc --arch=sm_86 --emit=plan %s -o - | FileCheck %s --check-prefix=SIXTEEN
// RUN: gpuc run --arch=sm_90 --device=sim %s -- 0 | FileCheck %s --check-prefix=RAN
// RUN: gpuc run --arch=sm_90 --device=sim %s -- 1 | FileCheck %s --check-prefix=RAN
// RUN: gpuc run --arch=sm_90 --device=sim %s -- 131 | FileCheck %s --check-prefix=RAN
#include <stdio.h>
#include <stdlib.h>

// CHECK: map i to block.x thread.x by 64
// A multiprocessor that holds 16 blocks and 1536 threads is not filled by blocks of 64.
// SIXTEEN: map i to block.x thread.x by 128
static void rows(int n, int m, double p[restrict n][m])
{
    #pragma acc kernels copy(p[0:n][0:m])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            p[i][j] = 1 / (2 - p[i][j - 1]);
}

// CHECK: map i to block.x thread.x by 32
static void few(int m, double p[restrict 500][m])
{
    #pragma acc kernels copy(p[0:500][0:m])
    for (int i = 0; i < 500; i++)
        for (int j = 1; j < m; j++)
            p[i][j] = 1 / (2 - p[i][j - 1]);
}

// CHECK: map i to block.x thread.x by 256
static void asked(int n, int m, double p[restrict n][m])
{
    #pragma acc parallel loop vector_length(256) copy(p[0:n][0:m])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            p[i][j] = 1 / (2 - p[i][j - 1]);
}

// CHECK: map i to block.x thread.x by 256
static void short_ones(int n, double p[restrict n][8])
{
    #pragma acc kernels copy(p[0:n][0:8])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < 8; j++)
            p[i][j] = 1 / (2 - p[i][j - 1]);
}

static int wrong(int n, int m, const double *p)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            count += p[i * m + j] != 1 / (2 - p[i * m + j - 1]);
    return count;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 7, m = n > 8 ? n : 8;
    double *p = calloc(500 * m + 1, sizeof *p);
    rows(n, m, (void *)p);
    int count = wrong(n, m, p);
    asked(n, m, (void *)p);
    count += wrong(n, m, p);
    short_ones(n, (void *)p);
    count += wrong(n, 8, p);
    few(m, (void *)p);
    count += wrong(500, m, p);
    // RAN: 0 wrong
    printf("%d wrong\n", count);
    free(p);
    return count != 0;
}
