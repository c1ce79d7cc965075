// What is right and probably not what was meant: warnings without being asked.
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning
#include <openacc.h>

float a[100000], b[100000], c[100000], own[10], known[100000];

void asked(int n, float *restrict x)
{
    // CHECK: warning[GPUC0029]: this loop runs sequentially although its directive divides it among processors: Loop carried dependence of x
    // CHECK: [[@LINE+3]] |
    // CHECK: help: the read in line [[@LINE+3]] touches the element of x
    #pragma acc kernels loop gang copy(x[0:n])
    for (int i = 1; i < n; i++)
        x[i] = x[i - 1] + 1;
    // What is to run in order does.
    #pragma acc serial copy(x[0:n])
    for (int i = 1; i < n; i++)
        x[i] = x[i - 1] + 1;
}

void in_loop(void)
{
    // CHECK: warning[GPUC0029]: one thread of the device computes this loop of `kernels`: Loop carried dependence of a
    #pragma acc kernels copy(a)
    for (int i = 1; i < 100000; i++)
        a[i] = a[i - 1] + b[i];
    for (int step = 0; step < 100; step++) {
        // CHECK: warning[GPUC0030]: `a` and `b` are moved in every iteration of the loop in line [[@LINE-1]]
        // CHECK: help: put `#pragma acc data copy(a, b)` around the loop
        #pragma acc parallel loop
        for (int i = 0; i < 100000; i++)
            a[i] = b[i] * 0.5f + step;
    }
    #pragma acc data copy(a, b)
    for (int step = 0; step < 100; step++) {
        #pragma acc parallel loop
        for (int i = 0; i < 100000; i++)
            a[i] = b[i] * 0.5f + step;
    }
    // In a loop of a macro, once; and what is on the device already.
    do {
        #pragma acc parallel loop
        for (int i = 0; i < 100000; i++)
            b[i] = a[i] * 0.5f;
    } while (0);
    #pragma acc enter data copyin(known)
    for (int step = 0; step < 100; step++) {
        #pragma acc parallel loop
        for (int i = 0; i < 100000; i++)
            known[i] = known[i] * 0.5f + step;
    }
    #pragma acc exit data copyout(known)
}

void small(int n)
{
    // CHECK: warning[GPUC0031]: this region is too small to pay: its 30 operations take the host 7 ns
    // CHECK: help: leave the directive out
    // CHECK: help: that in line [[#@LINE+5]] is too small as well
    #pragma acc parallel loop copy(own[0:10])
    for (int i = 0; i < 10; i++)
        own[i] += 1;
    // CHECK-NOT: GPUC0031
    #pragma acc parallel loop copy(own[0:5])
    for (int i = 0; i < 5; i++)
        own[i] += 1;
    // Of unknown size; between others; with much to do.
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc data copy(c)
    {
        #pragma acc parallel loop
        for (int i = 0; i < 10; i++)
            c[i] += 1;
    }
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 100000; i++)
        for (int j = 0; j < 1000; j++)
            a[i] += j;
}
