// Loops that end at `!=` count where their step meets the bound; and what stands in no construct.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc --emit=source -DGOOD %s | FileCheck %s --check-prefix=GOOD
#include <stddef.h>

int a[300];

#ifdef GOOD
void f(int n, size_t m)
{
    // GOOD: offload.loop
    #pragma acc parallel loop
    for (int i = 0; i != 300; i += 3)
        a[i] = i;
    // GOOD: offload.loop
    #pragma acc parallel loop
    for (int i = 299; i != -1; --i)
        a[i] = i;
    // GOOD: offload.loop
    #pragma acc parallel loop
    for (int i = 0; i != n; i++)
        a[i] = i;
    // GOOD: offload.loop
    #pragma acc parallel loop
    for (size_t i = 0; i != m; i++)
        a[i] = i;
}
#else
void f(int n, int step, size_t m)
{
    #pragma acc parallel loop
    // CHECK: error[GPUC0006]: the head of this loop does not say how many rounds it has
    // CHECK: the variable passes the bound by, where `!=` does not stop it
    for (int i = 0; i != 300; i += 7)
        a[i] = i;
}
void g(int n, int step, size_t m)
{
    #pragma acc parallel loop
    // CHECK: the step may pass the bound by, where `!=` does not stop it
    for (int i = 0; i != n; i += 3)
        a[i] = i;
}
void h(int n, int step, size_t m)
{
    #pragma acc parallel loop
    // CHECK: the variable may start beyond the bound, and come around to it
    for (size_t i = 1; i != m; i++)
        a[i] = i;
}
void around(void)
{
    #pragma acc parallel loop
    // CHECK: error[GPUC0006]: the head of this loop does not say how many rounds it has
    // CHECK: the variable passes the end of its type, and comes around
    for (unsigned char i = 10; i < 250; i += 100)
        a[i] = i;
}
void atomic(void)
{
    // CHECK: error: `atomic` stands outside of a compute construct
    // CHECK: help: put it into a compute construct
    #pragma acc atomic update
    a[0]++;
}
#endif
