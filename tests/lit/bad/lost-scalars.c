// Scalars of which a loop or construct would lose the value that the program reads afterwards.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdio.h>

double last(int n, const double *a)
{
    double t = 0;
    // CHECK: error[GPUC0024]: `t` is private to each iteration: what this loop leaves in it is lost, and read later
    // CHECK-NEXT: --> tests/lit/bad/lost-scalars.c:[[@LINE+4]]:9
    // CHECK: help: say what it is: `reduction(op:t)`
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        t = a[i];
    return t;
}

/* Under a condition, in a sum that is looked at, with two operators. */
double no_reduction(int n, double *a, const int *b)
{
    double first = 0, looked = 0, mixed = 1;
    // CHECK: error[GPUC0024]: `first` is private
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        if (a[i] > 2)
            first = i;
    // CHECK: error[GPUC0024]: `looked` is private
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        looked += a[i];
        a[i] = looked;
    }
    // CHECK: error[GPUC0024]: `mixed` is private
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        mixed += a[i];
        mixed *= 2;
    }
    int cut = 0;
    // A sum that is cut to an integer in between is none.
    // CHECK: error[GPUC0024]: `cut` is private
    #pragma acc kernels loop independent copyin(a[0:n])
    for (int i = 0; i < n; i++)
        cut += 0.5 * a[i];
    return first + looked + mixed + cut;
}

int region(int n)
{
    int m = 2, i;
    // CHECK: error[GPUC0024]: `m` is private to this construct: what it leaves in it is lost, and read later
    // CHECK: help: add `copy(m)` to have the value, or `firstprivate(m)`
    #pragma acc serial
    m = n + 1;
    // CHECK: error[GPUC0024]: `i` is private to this construct
    #pragma acc parallel loop
    for (i = 0; i < n; i++)
        ;
    return m + i;
}

/* Each iteration needs what the one before leaves, though nobody reads it afterwards. */
void random(int n, unsigned *a)
{
    unsigned seed = 1;
    // CHECK: error[GPUC0011]: the iterations of this loop are not independent: each needs what the one before leaves in `seed`
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245 + 12345;
        a[i] = seed;
    }
}

/* What a clause says is meant. CHECK-NOT: error */
double said(int n, const double *a)
{
    double t = 5, u = 6, v = 7;
    #pragma acc parallel loop copyin(a[0:n]) private(t) firstprivate(v)
    for (int i = 0; i < n; i++) {
        t = a[i];
        v = t;
    }
    #pragma acc serial copy(u)
    u = n;
    return t + u + v;
}

long pointers(int n, int *a, int *b)
{
    int *p = b, *q = b;
    // CHECK: error[GPUC0024]: `p` is private to this construct: what it leaves in it is lost, and read later
    // CHECK: help: use a pointer of the construct's own, and move `p` behind it
    #pragma acc kernels copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        *p++ = a[i];
    // Nobody looks at where `q` points.
    #pragma acc kernels copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        *q++ += a[i];
    return p - b;
}

/* What the construct reads itself when a loop of the host brings it again. */
void again(int n, int m, int *a, const int *b)
{
    int *p = a, *q = a, *r = a, k = 0, t = 0;
    for (int turn = 0; turn < m; turn++) {
        // CHECK: error[GPUC0024]: `p` is private to this construct: what it leaves in it is lost, and read when the construct is executed again
        // CHECK: help: use a pointer of the construct's own, and move `p` behind it
        #pragma acc kernels loop copy(a[0:n * m])
        for (int i = 0; i < n; i++)
            *p++ = b[i];
    }
    int turn = 0;
more:
    // CHECK: error[GPUC0024]: `q` is private to this construct: what it leaves in it is lost, and read when
    #pragma acc kernels copy(a[0:n * m])
    for (int i = 0; i < n; i++)
        *q++ = b[i];
    if (++turn < m)
        goto more;
    do {
        // CHECK: error[GPUC0024]: `k` is private to this construct: what it leaves in it is lost, and read when
        #pragma acc serial copy(a[0:n * m])
        for (int i = 0; i < n; i++) {
            a[k] = b[i];
            k++;
        }
    } while (--turn > 0);
    // Set anew by each turn, or wherever it is read. CHECK-NOT: error[
    for (turn = 0; turn < m; turn++) {
        r = a + turn * n;
        #pragma acc kernels copy(a[0:n * m])
        for (int i = 0; i < n; i++)
            *r++ = b[i];
        #pragma acc serial copy(a[0:n * m])
        for (int i = 0; i < n; i++) {
            if (b[i] > 2)
                t = b[i];
            if (b[i] > 2)
                a[i] = t;
        }
    }
}
