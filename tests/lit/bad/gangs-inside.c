// A loop that the compiler would give gangs leaves them to a loop inside that asks for them, unless it does something that
// every gang would do again.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -DGOOD -c %s -o %t.o

void f(int n, int *restrict count, float (*restrict a)[128])
{
    #pragma acc kernels copy(a[0:n], count[0:n])
    for (int i = 0; i < n; i++) {
#ifndef GOOD
        count[i] += 1;
#endif
        // CHECK: error: a gang loop cannot stand inside a gang loop
        // CHECK-NEXT: --> tests/lit/bad/gangs-inside.c:[[@LINE+2]]:9
        #pragma acc loop gang
        for (int j = 0; j < 128; j++)
            a[i][j] = i + j;
    }
}
