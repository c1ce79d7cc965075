/*
// Generated lines are of no standard's and no warning's concern, and keep the runtime's layout.
// RUN: gpuc run --device=sim -std=c89 -pedantic-errors %s | FileCheck %s
// RUN: gpuc run --device=sim -ansi -Wall -Wextra -pedantic -Werror %s | FileCheck %s
// RUN: gpuc run --device=sim -Wconversion -Wsign-conversion -Wdeclaration-after-statement -Wpadded -Wc++-compat -Wshadow -Wcast-qual -Wundef -Wredundant-decls -Wmissing-declarations -Wnested-externs -Woverlength-strings -Wlong-long -Wtraditional-conversion -Wdangling-else -Wempty-body -Werror %s | FileCheck %s
// RUN: gpuc run --device=sim -fpack-struct %s | FileCheck %s
// RUN: gpuc run --device=sim -fpack-struct=2 -fshort-enums -funsigned-char %s | FileCheck %s
// RUN: gpuc run --device=sim -DUNPOPPED %s | FileCheck %s
// A warning about a line of the program is still one, at its line.
// RUN: not gpuc -Wconversion -Werror -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: 4 28 7 56 18{{$}}
*/
extern int printf(const char *, ...);
#ifdef UNPOPPED
#pragma pack(1)
#endif

static int narrow(double x)
{
    (void)x;
#ifdef WRONG
/*
// WRONG: host-flags.c:[[@LINE+2]]:{{.*}}error: conversion
*/
    return x;
#else
    return 0;
#endif
}

int main(void)
{
    int x[8], sum, last, i, j, n;
    double y[8];
    n = 8;
    sum = 0;
    last = narrow(0.0);
#pragma acc data copyout(x) create(y[0:n]) if(n > 4)
    {
#pragma acc parallel loop \
    num_gangs(2)
        for (i = 0; i < n; i++) {
            x[i] = i;
            y[i] = i;
        }
#pragma acc update self(y[1:n - 1])
        if (n == 8)
#pragma acc parallel loop reduction(+:sum)
            for (i = 0; i < n; i++)
                sum += x[i];
        else
            n = 0;
#pragma acc kernels
        for (i = 0; i < 3; i++)
            for (j = 1; j < n; j++)
                y[j] += y[j - 1] * i;
    }
#pragma acc enter data copyin(y[0:n])
#pragma acc serial present(y) copy(last)
    last += 7 + 0 * (int)y[0];
#pragma acc exit data delete(y[0:n])
    if (n > 3)
#pragma acc parallel loop reduction(+:last)
        for (i = 0; i < n; i++)
            ;
#pragma acc parallel loop reduction(+:sum)
    for (i = 0; i < n; i++)
        sum += i;
    printf("%d %d %d %d %d\n", x[4], sum - 28, last, sum, n + 10);
    return 0;
}
