// What is not a number, and zeros of two signs, show the order of comparisons: they are combined in any order only where
// that is allowed. Whole numbers are whatever it says.
// RUN: gpuc -c -Minfo %s -o /dev/null 2>&1 | FileCheck %s
// RUN: gpuc -c -Minfo -fno-associative-math %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// CHECK: Generating implicit reduction(max:m)
// CHECK: Generating implicit reduction(min:k)
// CHECK: Generating implicit reduction(max:f)
// STRICT: Order of the comparisons kept for m prevents parallelization
// STRICT: Generating implicit reduction(min:k)
// STRICT: Generating implicit reduction(max:f)
#include <math.h>

double greatest(int n, const double *a)
{
    double m = a[0];
#pragma acc kernels copyin(a[0:n])
    for (int i = 0; i < n; i++)
        m = m > a[i] ? m : a[i];
    return m;
}

int least(int n, const int *a)
{
    int k = a[0];
#pragma acc kernels copyin(a[0:n])
    for (int i = 0; i < n; i++)
        k = a[i] < k ? a[i] : k;
    return k;
}

double largest(int n, const double *a)
{
    double f = a[0];
#pragma acc kernels copyin(a[0:n])
    for (int i = 0; i < n; i++)
        f = fmax(f, a[i]);
    return f;
}
