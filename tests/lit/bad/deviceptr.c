// What is no pointer has no address of the device.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
void f(int n, float x[8], float *y)
{
    float z[8];
    // CHECK: error: `deviceptr` takes pointers, and `n` is none
    // CHECK-NEXT: --> tests/lit/bad/deviceptr.c:[[@LINE+3]]:36
    // CHECK: error: `deviceptr` takes pointers, and `z` is none
    // CHECK-NOT: error:
    #pragma acc parallel deviceptr(n, x, y, z)
    for (int i = 0; i < 8; i++)
        x[i] = y[i] = n;
}
