// Loops inside each other combine a variable by one operator, and nothing combines into what is const.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -DGOOD -c %s -o %t.o

int f(int n, const int *a)
{
    int s = 0;
#ifndef GOOD
    // CHECK: error[GPUC0005]: `s` is reduced by `*` here, and by `+` around
    // CHECK-NEXT: --> tests/lit/bad/nested-reductions.c:[[@LINE+4]]:45
    // CHECK: help: loops inside each other combine a variable by one operator: combine into another variable here
    #pragma acc parallel loop gang reduction(+:s) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop vector reduction(*:s)
        for (int j = 0; j < n; j++)
            s *= a[j];
    }
    const int fixed = 3;
    // CHECK: error[GPUC0005]: `fixed` is const: a reduction assigns to it
    #pragma acc parallel loop reduction(max:fixed) copyin(a[0:n])
    for (int i = 0; i < n; i++)
        n += 0;
    // CHECK: error[GPUC0005]: `fixed` is const: a reduction assigns to it
    #pragma acc parallel reduction(max:fixed) copyin(a[0:n])
    {
    }
    // CHECK: error[GPUC0005]: the size of a launch changes `n`
    // CHECK-NEXT: --> tests/lit/bad/nested-reductions.c:[[@LINE+2]]:41
    // CHECK: help: change it in a statement in front of the construct
    #pragma acc parallel loop num_gangs(n++) reduction(+:s) copyin(a[0:n])
    for (int i = 0; i < 10; i++)
        s += a[i];
#else
    #pragma acc parallel loop gang reduction(+:s) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop vector reduction(+:s)
        for (int j = 0; j < n; j++)
            s += a[j];
    }
    /* What a loop has for itself is another variable. */
    int t = 0;
    #pragma acc parallel loop gang reduction(+:s) private(t) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        t = 1;
        #pragma acc loop vector reduction(*:t)
        for (int j = 0; j < n; j++)
            t *= a[j];
        s += t;
    }
#endif
    return s;
}
