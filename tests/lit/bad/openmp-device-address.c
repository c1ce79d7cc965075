// A pointer that a region has set to an address of the device is brought back as it is: to map it is an error that says so.
// RUN: gpuc -fopenmp %s -o %t
// RUN: not env GPUC_DEVICE=sim GPUC_QUIET=1 %t 2>&1 | FileCheck %s
#define N 1024

int main(void)
{
    int a[N], *p;
    for (int i = 0; i < N; i++)
        a[i] = 0;
    #pragma omp target map(tofrom: a, p)
    {
        p = &a[0];
        p[50] = 50;
    }
    #pragma omp target map(tofrom: a) map(to: p)
    p[50] += 10;
    return a[50] != 60;
}
// CHECK: error: `p` holds an address of memory of device 0, 0x{{[0-9a-f]+}}, which the host cannot read
// CHECK: openmp-device-address.c:16
// CHECK: was the pointer set on the device and brought back
