// What directives of OpenHMPP move is what moves, and nothing else does.
// RUN: gpuc run -fhmpp --device=sim %s 2>&1 | FileCheck %s
// RUN: gpuc -fhmpp -c -Minfo %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: gpuc -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
#include <stdio.h>

#pragma hmpp f codelet, args[x].io=in, args[y].io=out
static void f(int n, const int x[4], int y[4])
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}
// INFO: warning: the codelet `host` is for C, so its calls stay with the host
// INFO: codelet `never` never runs on the device, from which this takes its results
// INFO: `unroll` is not followed: 'coarsen' is refused
// INFO: Generating args[x].io=in
// INFO: Generating args[y].io=out
// OFF: warning[GPUC0017]: directives of OpenHMPP are not offloaded without -fhmpp
// OFF-NOT: warning

#pragma hmpp never codelet, args[v].io=inout
static void never(int v[1])
{
    v[0]++;
}

#pragma hmpp host codelet, target=C
static void on_host(int v[1])
{
    v[0]++;
}

#pragma hmpp g codelet
static void g(int n, int a[n][n])
{
    #pragma hmppcg unroll 4, contiguous
    for (int i = 0; i < n; i++) {
        #pragma hmppcg tile j:4
        for (int j = 0; j < n; j++)
            a[i][j] = i;
    }
}

int main(void)
{
    int x[4] = {1, 2, 3, 4}, y[4] = {0}, v[1] = {0};
    #pragma hmpp f advancedload, args[x]
    x[0] = 100;
    #pragma hmpp f callsite, args[x].advancedload=true
    f(4, x, y);
    printf("%d\n", y[0]);
    // CHECK: {{^}}0{{$}}
    #pragma hmpp f delegatedstore, args[y]
    printf("%d\n", y[0]);
    // CHECK-NEXT: 2
    #pragma hmpp f callsite
    f(4, x, y);
    #pragma hmpp f delegatedstore, args[y]
    printf("%d\n", y[0]);
    // CHECK-NEXT: 101
    y[0] = -1;
    #pragma hmpp f callsite, args[*].transfer=manual
    f(4, x, y);
    printf("%d\n", y[0]);
    // CHECK-NEXT: -1
    #pragma hmpp f release
    #pragma hmpp never advancedload, args[v], hostdata="v"
    v[0] = 7;
    never(v);
    #pragma hmpp never delegatedstore, args[v]
    printf("%d\n", v[0]);
    // CHECK-NEXT: 0
    #pragma hmpp host callsite
    on_host(v);
    printf("%d\n", v[0]);
    // CHECK-NEXT: 1
    int a[9];
    #pragma hmpp g callsite
    g(3, (int (*)[3])a);
    return 0;
}
