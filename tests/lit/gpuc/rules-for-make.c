// Who asks for the rules for make, or for preprocessed text, gets that and nothing else, whatever -c and -S say: as with gcc.
// RUN: gpuc -MM -c %s | FileCheck %s
// RUN: gpuc -c -M %s -MT here | FileCheck %s --check-prefix=NAMED
// RUN: gpuc -E -c %s | FileCheck %s --check-prefix=TEXT
// CHECK: rules-for-make.o:{{.*}}rules-for-make.c
// NAMED: here:{{.*}}rules-for-make.c
// TEXT: #pragma acc parallel loop
void f(int n, float *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
