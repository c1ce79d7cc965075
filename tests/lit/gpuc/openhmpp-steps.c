// Loops in strips, one loop of two and two of one are steps of the plan; what a dependence forbids is named.
// RUN: gpuc -fhmpp --emit=plan %s 2>/dev/null | FileCheck %s
// RUN: gpuc -fhmpp -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc run -fhmpp --device=sim %s 2>/dev/null | FileCheck %s --check-prefix=OUT
#include <stdio.h>
#define N 70

#pragma hmpp f codelet, args[b;c;d;e].io=out
static void f(int n, float a[n], float b[n], float c[n], float d[n], float e[n])
{
    #pragma hmppcg tile i:4
    #pragma hmppcg parallel
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
    #pragma hmppcg fuse
    for (int j = 0; j < n; j++)
        c[j] = a[j] + 1;
    #pragma hmppcg fuse
    for (int j = 0; j < n; j++)
        d[j] = c[j] + 1;
    for (int j = 0; j < n; j++)
        d[j] = d[j] * 2;
    #pragma hmppcg distribute
    #pragma hmppcg parallel
    for (int k = 0; k < n; k++) {
        e[k] = c[k] * 2;
        b[k] += d[k];
    }
}
// Four iterations of a parallel loop along x.
// CHECK: kernel f:
// CHECK-NEXT: strip i by 4
// CHECK-NEXT: fuse j@{{[0-9]+}}, j@{{[0-9]+}} to j@[[J:[0-9]+]]
// CHECK-NEXT: fuse j@[[J]], j@{{[0-9]+}} to j@[[J]]
// CHECK-NEXT: distribute k to k, k.2
// CHECK-NEXT: parallel j@[[J]]
// CHECK-NEXT: launches
// CHECK-NEXT: map i.strip to block.y thread.y by 64, i to block.x thread.x by 4
// CHECK-NEXT: map j@[[J]] to
// CHECK-NEXT: map k to
// CHECK-NEXT: map k.2 to

#pragma hmpp g codelet, args[s].io=inout
static void g(int n, float a[n][n], float r[n], float s[n])
{
    #pragma hmppcg permute j, i
    #pragma hmppcg tile i:4
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[j] = s[j] + r[i] * a[i][j];
    #pragma hmppcg parallel
    for (int i = 0; i < n; i++) {
        float sum = 0;
        #pragma hmppcg tile k:16
        for (int k = 0; k < n; k++)
            sum += a[i][k] * r[k];
        s[i] += sum;
    }
}
// Of the loops in order, the order stays.
// CHECK: kernel g:
// CHECK-NEXT: permute i@{{[0-9]+}}, j to j, i@[[I:[0-9]+]]
// CHECK-NEXT: strip i@[[I]] by 4
// CHECK-NEXT: strip k by 16
// CHECK-NEXT: parallel j{{$}}

#pragma hmpp h codelet, args[a].io=inout
static void h(int n, float a[n][n])
{
    #pragma hmppcg tile i:4, j:8
    #pragma hmppcg gridify(i, j)
    for (int i = 0; i < n; i++)
        for (int j = 2; j < n - 1; j++)
            a[i][j] += i * 3 + j;
    #pragma hmppcg tile k:4, l:4
    for (int k = 1; k < n; k++)
        for (int l = 1; l < n; l++)
            a[k][l] += a[k - 1][l] * 0.25f + a[k][l - 1] * 0.25f;
}
// CHECK: kernel h:
// CHECK-NEXT: strip i by 4, j by 8
// CHECK-NEXT: strip k by 4, l by 4

/* Rounds of a loop whose iterations run at once are iterations of a thread. */
#pragma hmpp u codelet, args[a].io=out
static void u(int n, float a[n][n], float b[n][n])
{
    #pragma hmppcg unroll(4)
    for (int p = 1; p < n - 1; p++)
        for (int q = 0; q < n; q++)
            a[p][q] = b[p - 1][q] + b[p][q] + b[p + 1][q];
}
// CHECK: kernel u:
// CHECK: coarsen p by 4 where 1 threads

/* A product of known sizes is all in tiles: with blocks of another size there are none, and who executes it is said anew. */
#pragma hmpp v codelet, args[c].io=out
static void v(float a[N][N], float b[N][N], float c[N][N])
{
    #pragma hmppcg grid blocksize "16x8"
    for (int x = 0; x < N; x++)
        for (int y = 0; y < N; y++) {
            c[x][y] = 0;
            for (int z = 0; z < N; z++)
                c[x][y] += a[x][z] * b[z][y];
        }
}
// CHECK: kernel v:
// CHECK: map x to block.y thread.y by 8, y to block.x thread.x by 16

/* The size stands ahead of declarations and other statements: it is the next loop's. */
#pragma hmpp v2 codelet, args[b].io=out
static void v2(float a[N][N], float b[N][N])
{
    #pragma hmppcg grid blocksize "16x4"
    int x, y;
    #pragma hmppcg gridify(x, y)
    for (x = 0; x < N; x++)
        for (y = 0; y < N; y++)
            b[x][y] = a[x][y] + 1;
}
// CHECK: kernel v2:
// CHECK: map x to block.y thread.y by 4, y to block.x thread.x by 16

#pragma hmpp v3 codelet, args[b].io=out
static void v3(float a[N][N], float b[N][N])
{
    float one;
    #pragma hmppcg grid blocksize "16x2"
    one = 1;
    for (int x = 0; x < N; x++)
        for (int y = 0; y < N; y++)
            b[x][y] = a[x][y] + one;
}
// CHECK: kernel v3:
// CHECK: map x to block.y thread.y by 2, y to block.x thread.x by 16

/* Loops in functions that a codelet calls. */
static float part(int n, const float *x)
{
    float sum = 0;
    #pragma hmppcg unroll(4)
    for (int i = 0; i < n; i++)
        sum = sum * 0.5f + x[i];
    return sum;
}

#pragma hmpp w codelet, args[r].io=out
static void w(int n, float a[n][n], float r[n])
{
    #pragma hmppcg parallel
    for (int i = 0; i < n; i++)
        r[i] = part(n, a[i]);
}
// CHECK: kernel w:
// CHECK: unroll i@{{[0-9]+}} by 4

/* Rounds side by side in the loop inside, and those that are left; of a loop whose iterations run at once as above. */
#pragma hmpp x codelet, args[s;r].io=inout
static void x(int n, float a[n][n], float s[n], float r[n][n])
{
    #pragma hmppcg unroll 3, jam
    for (int t = 0; t < n; t++)
        for (int u = 0; u < n; u++)
            s[u] = s[u] * 0.5f + a[t][u];
    #pragma hmppcg unroll(4), jam
    #pragma hmppcg parallel
    for (int v = 1; v < n - 1; v++)
        for (int w = 0; w < n; w++)
            r[v][w] = a[v - 1][w] + a[v][w] + a[v + 1][w];
}
// CHECK: kernel x:
// CHECK-NEXT: unroll_jam t by 3
// CHECK: coarsen v by 4 where 1 threads

#pragma hmpp bad codelet, args[a;b].io=inout
static void bad(int n, float a[n], float b[n], float c[n][n])
{
    #pragma hmppcg fuse
    for (int i = 0; i < n - 1; i++)
        a[i] = b[i];
    for (int i = 0; i < n - 1; i++)
        b[i] = a[i + 1];
    #pragma hmppcg distribute
    for (int j = 1; j < n; j++) {
        a[j] = b[j - 1] + 1;
        b[j] = a[j] * 0.5f;
    }
    #pragma hmppcg tile k:4, l:4
    for (int k = 1; k < n; k++)
        for (int l = 0; l < n - 1; l++)
            c[k][l] = c[k - 1][l + 1] * 0.5f + 1;
    #pragma hmppcg tile o:4
    #pragma hmppcg tile o:4
    for (int o = 1; o < n; o++)
        a[o] = a[o - 1] * 0.5f;
    #pragma hmppcg unroll 2, jam
    for (int p = 1; p < n; p++)
        for (int q = 0; q < n - 1; q++)
            c[p][q] = c[p - 1][q + 1] * 0.5f + 1;
    #pragma hmppcg fuse
    for (int m = 1; m < n; m++)
        a[m] = b[m];
}
// CHECK: kernel bad:
// CHECK: strip o by 4
// CHECK-NOT: strip
// CHECK-NOT: fuse
// CHECK-NOT: distribute
// SAID: `tile` is not followed: it has been asked for already
// SAID: `fuse` is not followed: no loop follows the one behind it
// SAID: `fuse` is not followed: 'fuse' is refused: a dependence would be turned round
// SAID: flow dependence of a from line {{[0-9]+}} to line {{[0-9]+}}, such as iterations (1) and (0)
// SAID: `distribute` is not followed: 'distribute' is refused: its statements depend on each other in a circle
// SAID: flow dependence of b
// SAID: `tile` is not followed: 'strip' is refused: a dependence goes backwards in a loop
// SAID: flow dependence of c
// SAID: `unroll` is not followed: 'unroll_jam' is refused: a dependence would go backwards between iterations
// SAID: flow dependence of c

static float a[N], b[N], c[N], d[N], e[N], m[N][N], k[N][N], s[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i;
        for (int j = 0; j < N; j++)
            m[i][j] = i - 2 * j;
    }
    #pragma hmpp f callsite
    f(N, a, b, c, d, e);
    printf("%g %g %g %g\n", b[69], c[7], d[69], e[68]);
    // OUT: 212 8 142 138
    #pragma hmpp g callsite
    g(N, m, a, s);
    printf("%g %g\n", s[0], s[69]);
    // OUT-NEXT: -111895 -278530
    #pragma hmpp h callsite
    h(N, m);
    printf("%g %g %g\n", m[0][7], m[1][68], m[69][68]);
    // OUT-NEXT: -7 -107.444 413
    #pragma hmpp u callsite
    u(N, k, m);
    printf("%g %g\n", k[1][0], k[68][9]);
    // OUT-NEXT: 3 1568.81
    #pragma hmpp v callsite
    v(m, m, k);
    printf("%d\n", k[3][4] != 0);
    // OUT-NEXT: 1
    #pragma hmpp w callsite
    w(N, m, s);
    printf("%g\n", s[3]);
    // OUT-NEXT: -327.143
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = (i + j) % 7;
    #pragma hmpp x callsite
    x(N, m, s, k);
    printf("%g %g %g\n", s[5], k[5][9], k[68][69]);
    // OUT-NEXT: 6.44094 7 12
    #pragma hmpp bad callsite
    bad(N, a, b, m);
    printf("%g %g\n", a[33], b[69]);
    // OUT-NEXT: 1 1
    return 0;
}
