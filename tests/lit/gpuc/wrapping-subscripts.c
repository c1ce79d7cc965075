// Subscripts that may wrap: what is said of them, and what becomes of pointers in no clause where they do.
// RUN: gpuc -c -Minfo %s -o %t 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: rows:
// UNSIGNED: two versions made: subscripts of a do not wrap if n*m + columns - m - 1 <= 3037000498
// UNSIGNED-NOT: not proven
// UNSIGNED: other:
// UNSIGNED-NOT: two versions
// RUN: gpuc -c -Minfo -fwrapv -DNUMBER=int %s -o %t 2>&1 | FileCheck %s --check-prefix=SIGNED
// SIGNED: two versions made: subscripts of a do not wrap if n*m + columns - m - 1 <= 2147483647
// SIGNED-NOT: not proven
// RUN: gpuc -c -Minfo -DNUMBER=int %s -o %t 2>&1 | FileCheck %s --check-prefix=PROMISED
// PROMISED-NOT: do not wrap
// RUN: gpuc run --device=sim %s | FileCheck %s --check-prefix=RIGHT
// RUN: gpuc run --device=sim -fwrapv -DNUMBER=int %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: 3 8 13
// RUN: not gpuc run --device=sim %s -- 4294967295 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: data in no clause of this `kernels` was not found on device 0: name=a
// ABSENT-NEXT: --> tests/lit/gpuc/wrapping-subscripts.c:[[@LINE+12]]:5
#include <stdio.h>
#include <stdlib.h>

#ifndef NUMBER
#define NUMBER unsigned
#endif

static float values[100];

static void rows(NUMBER n, NUMBER m, NUMBER columns, float *a)
{
    #pragma acc kernels
    for (NUMBER i = 0; i < n; i++)
        for (NUMBER j = 0; j < columns; j++)
            a[i * m + j] += 1 + i;
}

static void other(NUMBER n, float *restrict a, const float *restrict b)
{
    #pragma acc kernels copy(a[0:n]) copyin(b[0:n])
    for (NUMBER i = 1; i < n - 1; i++)
        a[i] = b[i - 1] + b[i + 1];
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 100; i++)
        values[i] = i;
    NUMBER stride = argc > 1 ? (NUMBER)strtoul(argv[1], NULL, 10) : 5;
    rows(4, stride, 5, values + 50);
    other(9, values, values + 40);
    rows(2, 5, 5, values);
    printf("%g %g %g\n", values[50] - 48, values[55] - 49, values[60] - 50);
    return 0;
}
