// Which rounds an unrolled loop does in one, and what becomes of the rest; blocks of a grid of two loops where nothing is said.
// RUN: gpuc -fhmpp --emit=plan %s 2>/dev/null | FileCheck %s
// RUN: gpuc -fhmpp -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc run -fhmpp --device=sim %s 2>/dev/null | FileCheck %s --check-prefix=OUT
#include <stdio.h>
#define N 71
#define WHOLE 64

#pragma hmpp f codelet, args[b].io=inout
static void f(int n, float a[n][n], float b[n][n])
{
    #pragma hmppcg gridify(i)
    for (int i = 0; i < n; i++) {
        #pragma hmppcg unroll 4, split
        #pragma hmppcg noParallel
        for (int j = 0; j < n; j++)
            b[i][j] = a[i][j] * 2 + j;
        #pragma hmppcg unroll 3, split, guarded
        #pragma hmppcg noParallel
        for (int k = 2; k < n; k += 2)
            b[i][k] += k;
    }
}
// CHECK: kernel f:
// CHECK: unroll j by 4 split
// CHECK-NEXT: unroll k by 3 split guarded

#pragma hmpp g codelet, args[s;t].io=out
static void g(int n, float a[n][n], float s[n], float t[n])
{
    #pragma hmppcg gridify(p)
    for (int p = 0; p < n; p++) {
        float sum = 0, whole = 0;
        #pragma hmppcg unroll 4, guarded
        #pragma hmppcg noParallel
        for (int q = 0; q < n; q++)
            sum = sum * 0.5f + a[p][q];
        #pragma hmppcg unroll 8, noremainder
        #pragma hmppcg noParallel
        for (int r = 0; r < WHOLE; r++)
            whole = whole * 0.5f + a[p][r];
        s[p] = sum;
        t[p] = whole;
    }
}
// CHECK: kernel g:
// CHECK: unroll q by 4 guarded
// CHECK-NEXT: unroll r by 8 whole

#pragma hmpp h codelet, args[a;s].io=inout
static void h(int n, float a[n], float s[n][n])
{
    #pragma hmppcg unroll 2, split
    for (int u = 1; u < n; u++)
        a[u] = a[u - 1] * 0.5f + 1;
    #pragma hmppcg gridify(v)
    for (int v = 0; v < n; v++) {
        float sum = 0;
        #pragma hmppcg unroll 2, split
        #pragma hmppcg noParallel
        for (int w = 0; w < n; w++)
            sum = sum * 0.5f + s[v][w];
        s[v][0] = sum;
    }
    #pragma hmppcg unroll 2, split
    #pragma hmppcg parallel
    for (int x = 1; x < n; x++)
        for (int y = 1; y < n; y++)
            s[x][y] += 1;
}
// CHECK: kernel h:
// CHECK-NOT: unroll
// SAID: `unroll` is not followed: 'unroll' is refused: rounds in another order would touch an element in another order
// SAID: `unroll` is not followed: 'unroll' is refused: rounds in another order would hand on other values
// SAID: `unroll` is not followed: 'x' is no sequential loop by then

#pragma hmpp grid codelet, args[b].io=out
static void grid(int n, float a[n][n], float b[n][n])
{
    #pragma hmppcg gridify(c, d)
    for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++)
            b[c][d] = a[c][d] + 1;
}
// CHECK: kernel grid:
// CHECK: map c to block.y thread.y by 4, d to block.x thread.x by 32

static float a[N][N], b[N][N], s[N], t[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (i * 3 + j) % 8;
    #pragma hmpp f callsite
    f(N, a, b);
    float all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            all += b[i][j] != a[i][j] * 2 + j + (j >= 2 && j % 2 == 0 ? j : 0);
    printf("%g\n", all);
    // OUT: 0
    #pragma hmpp g callsite
    g(N, a, s, t);
    all = 0;
    for (int i = 0; i < N; i++) {
        float sum = 0, whole = 0;
        for (int j = 0; j < N; j++) {
            sum = sum * 0.5f + a[i][j];
            whole = j < WHOLE ? whole * 0.5f + a[i][j] : whole;
        }
        all += (s[i] != sum) + (t[i] != whole);
    }
    printf("%g\n", all);
    // OUT-NEXT: 0
    #pragma hmpp h callsite
    h(N, s, a);
    #pragma hmpp grid callsite
    grid(N, a, b);
    printf("%g %g\n", b[5][0] - a[5][0], b[N - 1][N - 1] - a[N - 1][N - 1]);
    // OUT-NEXT: 1 1
    return 0;
}
