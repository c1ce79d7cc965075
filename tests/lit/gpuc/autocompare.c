// GPUC_AUTOCOMPARE: each construct on device and host, the first element that differs, and the program goes on as
// without.
// RUN: gpuc %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 %t 0 | FileCheck %s --check-prefix=PLAIN
// RUN: env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_AUTOCOMPARE=1 %t 0 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_AUTOCOMPARE=1 %t 1 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not env GPUC_DEVICE=sim GPUC_QUIET=1 GPUC_AUTOCOMPARE=1e-9 %t 0 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: env GPUC_DEVICE=host GPUC_QUIET=1 GPUC_AUTOCOMPARE=1 %t 0 2>&1 | FileCheck %s --check-prefix=HOST
// PLAIN: stale 0, sum 507528, last 7 1 3 0, none 5
// SAME: not compared: `there` is an address of the device
// SAME: gpuc: compared 7 constructs on device and host: 0 with differences, and 1 were not compared
// SAME: stale 0, sum 507528, last 7 1 3 0, none 5
// HOST: gpuc: compared 0 constructs on device and host: 0 with differences
#include <math.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n; float *data; } list;
typedef struct { char kind; short size; double value; } record;

static const int table[4] = { 2, 7, 1, 8 };

int main(int argc, char **argv)
{
    int n = 1009, lie = argc > 1 && atoi(argv[1]);
    int *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    long sum = 0;
    #pragma acc data create(a[0:n]) copyin(b[0:n])
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] = i + table[i % 4] / 10;
        // What the device has is newer than what the host has; queues.
        #pragma acc parallel loop async(1)
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc wait(1)
        // OTHER: warning: this `parallel loop` of `main`: `sum`: element 0 is 507529 on the device and 507528 on the host; 1 of 1 differ
        // OTHER: autocompare.c:[[@LINE+1]]
        #pragma acc parallel loop reduction(+:sum)
        for (int i = 0; i < n - 1; i++)
            sum += a[i] + (lie && i == 3 && acc_on_device(acc_device_not_host));
    }
    // Here no update has been asked for, and none happened.
    int stale = a[5];
    list l = { 7, malloc(7 * sizeof(float)) };
    record r[3] = { { 1, 2, 3 } };
    #pragma acc data copy(l) copy(l.data[0:7])
    {
        #pragma acc parallel loop
        for (int i = 0; i < l.n; i++)
            l.data[i] = i + 1;
    }
    // OTHER: warning: this `parallel loop` of `main`: `r[0:3]` (line [[@LINE+2]]): byte 14 is 0x{{.*}} on the device and 0x
    // OTHER: autocompare.c:[[@LINE+1]]
    #pragma acc parallel loop copy(r[0:3])
    for (int i = 0; i < 3; i++)
        r[i].value = 3 + (lie && acc_on_device(acc_device_not_host));
    if (lie)
        r[0].value = 3;
    // OTHER: warning: this `parallel loop` of `main`: `f[0:n]` (line [[@LINE+7]]): element 11 is 1.5 on the device and 1 on the host; 1 of 1009 differ
    // OTHER: autocompare.c:[[@LINE+6]]
    // The device's sine is another than the host's, in the last place.
    // STRICT: warning: this `parallel loop` of `main`: `d[0:n]` {{.*}}: element {{[0-9]+}} is
    float *f = calloc(n, sizeof *f);
    double *d = calloc(n, sizeof *d);
    // A section of the middle.
    #pragma acc parallel loop copyout(f[0:n]) copy(d[0:n])
    for (int i = 0; i < n; i++) {
        f[i] = 1 + 0.5f * (lie && i == 11 && acc_on_device(acc_device_not_host));
        d[i] = (float)sinf(i * 1.1f) * 1e-3 + (i == 8);
    }
    // Nothing at all, and an address that the host cannot follow.
    int none = 5;
    #pragma acc parallel loop copy(none)
    for (int i = 0; i < none - 5; i++)
        none = 3;
    int *there = acc_malloc(n * sizeof(int));
    #pragma acc parallel loop deviceptr(there)
    for (int i = 0; i < n; i++)
        there[i] = i;
    acc_free(there);
    printf("stale %d, sum %ld, last %g %d %g %d, none %d\n", stale, sum, l.data[6], r[0].kind, r[0].value,
           f[0] != 1, none);
    // OTHER: gpuc: compared 7 constructs on device and host: 3 with differences, and 1 were not compared
    // STRICT: gpuc: compared
    return 0;
}
