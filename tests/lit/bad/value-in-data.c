// RUN: gpuc -w %s -o %t
// RUN: env GPUC_DEVICE=sim %t | FileCheck %s
// RUN: not env GPUC_DEVICE=sim %t value 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not env GPUC_DEVICE=sim %t bound 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not env GPUC_DEVICE=sim %t around 2>&1 | FileCheck %s --check-prefix=AROUND

// A scalar of `kernels` that is only read is handed over as a value. One that a pointer of the region may change is shared
// memory to OpenACC (3.3, 2.6.2), and no value is right: that is found out when the program runs.

#include <stdio.h>
#include <string.h>

static int count = 8;
static float total = 1;
static float table[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void value(float *sums, float *p)
{
    // VALUE: error: `total` lies in `p`, which this region may write to, and is handed to it as a value
    // VALUE: value-in-data.c:[[#@LINE+1]]
    #pragma acc kernels
    {
        p[0] += 1;
        for (int i = 0; i < 9; i++)
            sums[i] += total;
    }
    // VALUE: help: share it: name it in a data clause, as in `copy(total)`
}

/* The same, shared. */
static void shared(float *sums, float *p)
{
    #pragma acc kernels copy(total)
    {
        p[0] += 1;
        for (int i = 0; i < 9; i++)
            sums[i] += total;
    }
}

static void bound(int *p)
{
    // BOUND: error: `count` lies in `p[0:count]`, which this region may write to, and is handed to it as a value
    #pragma acc kernels copy(p[0:count])
    for (int i = 0; i < count; i++)
        p[i] = i;
}

static void around(int *p, int n)
{
    #pragma acc data copy(p[0:n])
    {
        // AROUND: error: `count` lies in `p`, which this region may write to, and is handed to it as a value
        #pragma acc kernels
        for (int i = 0; i < count; i++)
            p[i % n] = i;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    float other = 1;
    int others[8] = {0};
    value(table, strcmp(what, "value") == 0 ? &total : &other);
    bound(strcmp(what, "bound") == 0 ? &count : others);
    around(strcmp(what, "around") == 0 ? &count : others, strcmp(what, "around") == 0 ? 1 : 8);
    shared(table, &total);
    // CHECK: 2 12 7 2
    printf("%g %g %d %g\n", other, table[8], others[7], total);
    return 0;
}
