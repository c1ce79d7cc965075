// Loops that are declared independent and are not: a warning for each variable, of every loop.
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s

void f(int n, int k, double c[4][8], const double *x, double *y, double *z, double *s)
{
    // CHECK: warning[GPUC0011]: {{.*}} the element of c that
    // CHECK: help: combine into a scalar with a `reduction` and add that to c behind the loop, or put `#pragma acc atomic update`
    // CHECK: warning[GPUC0011]: {{.*}} the element of y that the write in line [[@LINE+4]]
    #pragma acc parallel loop copy(c[0:4][0:8]) copyin(x[0:n]) copy(y[0:n])
    for (int i = 1; i < n; i++) {
        c[k][0] += x[i];
        y[i] = y[i - 1];
    }
    #pragma acc parallel copy(y[0:n], z[0:n], s[0:2])
    {
        // CHECK: warning[GPUC0011]: {{.*}} the write in line [[@LINE+3]] touches the element of s
        #pragma acc loop gang
        for (int i = 1; i < n; i++) {
            s[0] += y[i];
            z[i] = y[i];
        }
        // CHECK: warning[GPUC0011]: {{.*}} the write in line [[@LINE+3]] touches the element of s
        #pragma acc loop gang
        for (int i = 1; i < n; i++)
            s[1] += z[n - i];
    }
    double a = 0, b = 0;
    // CHECK: warning[GPUC0011]: {{.*}} the element of a that
    // CHECK: help: add `private(a)` or `reduction(...:a)` to the loop
    // CHECK: warning[GPUC0011]: {{.*}} the element of b that
    // CHECK: help: add `private(b)` or `reduction(...:b)` to the loop
    #pragma acc parallel loop copyin(x[0:n]) copy(a, b)
    for (int i = 1; i < n; i++) {
        a = x[i];
        b = b * x[i] + 1;
    }
    s[0] = a + b;
}
