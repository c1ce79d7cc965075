// What a pointer that was read from memory points to may be anything but a thread's own: loops that write through it stay in order
// where the compiler is to find out, and such a pointer is another one in each iteration.
// RUN: gpuc -w -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
typedef struct { double *data; } Matrix;

void carried(Matrix *a, int n)
{
    #pragma acc kernels present(a[0:1])
    for (int i = 1; i < n; i++)
        a->data[i] += a->data[i - 1];
}
// CHECK-LABEL: carried:
// CHECK: 9, Complex loop carried dependence of a prevents parallelization

void diagonal(double **x, int n)
{
    #pragma acc kernels present(x[0:n][0:n])
    for (int i = 1; i < n; i++)
        x[i][i] = 1;
}
// The rows of a T** may overlap.
// CHECK-LABEL: diagonal:
// CHECK: 18, Complex loop carried dependence of x prevents parallelization
