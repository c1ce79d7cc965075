// What has been preprocessed is not preprocessed again: `linux` is a variable in a file of C99, and comments may have been kept.
// RUN: gpuc -std=c99 -E -C -fopenacc %s -o %t.i
// RUN: gpuc -fopenacc --emit=ptx %t.i | FileCheck %s
// CHECK: .visible .entry f
// RUN: gpuc -fopenacc -c %t.i -o %t.o
void f(float *a, int linux) // a name that is a macro in GNU dialects
{
    #pragma acc parallel loop copy(a[0:linux])
    for (int i = 0; i < linux; i++)
        a[i] = 2.0f * a[i]; /* kept */
}
