// What is moved of pointers that no clause names, and where that cannot be known.
// RUN: gpuc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s

void found(int n, double *a, const double *b)
{
    // CHECK: Generating implicit copy(a[:])
    // CHECK-NEXT: Generating implicit copyin(b[:])
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] = b[2 * i];
}

void indirect(int n, double *x, const int *index)
{
    // CHECK: Generating implicit copyin(index[:])
    // CHECK: `x` is a pointer in no data clause, and which part of it is touched is not known before the launch (a subscript is no sum of loop variables and values of the host)
    // CHECK: name it in a clause, as `copy(x[first:count])`, to have it moved
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        x[index[i]] = i;
}

void ragged(int n, double *y, const int *begin)
{
    // CHECK: Generating implicit copyin(begin[:])
    // CHECK: `y` is a pointer in no data clause, and which part of it is touched is not known before the launch
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        for (int j = begin[i]; j < begin[i + 1]; j++)
            y[j] = i;
}

void said(int n, double *z)
{
    // CHECK: said:
    // CHECK-NOT: Generating
    // CHECK: Generating GPU code
    #pragma acc parallel loop default(present)
    for (int i = 0; i < n; i++)
        z[i] = i;
}
