// Gangs print each for themselves; what has failed is named with its place; formats that no GPU knows are refused.
// RUN: gpuc run --device=sim %s 2>&1 | FileCheck %s
// RUN: not gpuc run --device=sim -DASSERT %s 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not gpuc run --device=sim -DABORT %s 2>&1 | FileCheck %s --check-prefix=ABORT
// RUN: not gpuc -c -DBAD %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int i)
{
    assert(i != 7);
}

int main(int argc, char **argv)
{
    // CHECK: gang
    // CHECK-NEXT: gang
    // CHECK-NEXT: gang
    // CHECK-NEXT: done
    #pragma acc parallel num_gangs(3)
    {
        printf("gang\n");
    }
    printf("done\n");
#ifdef ASSERT
    // ASSERT: tests/lit/gpuc/output.c:12: check: `i != 7`
    #pragma acc parallel loop
    for (int i = 0; i < 10; i++)
        check(i);
#endif
#ifdef ABORT
    // ABORT: output.c:[[@LINE+4]]: main: `abort()`
    #pragma acc parallel loop
    for (int i = 0; i < 10; i++)
        if (i == 3)
            abort();
#endif
#ifdef BAD
    int n = 0, many[4];
    // BAD: error[GPUC0005]: the format of `printf` must be a string constant in device code
    #pragma acc serial
    printf(argv[0], 1);
    // BAD: error[GPUC0005]: a GPU's `printf` does not know `%n` in device code
    #pragma acc serial copy(n)
    printf("%n", &n);
    // BAD: error[GPUC0005]: a GPU's `printf` does not know `%Lf` in device code
    #pragma acc serial
    printf("%Lf", 1.0L);
    // BAD: error[GPUC0005]: `printf` has fewer arguments than its format has conversions
    #pragma acc serial
    printf("%d %d", n);
    // BAD: error[GPUC0005]: `double` is not what this conversion of `printf` takes
    #pragma acc serial
    printf("%d", 1.0);
    // BAD: error[GPUC0005]: this call has no value in device code
    #pragma acc parallel loop copyout(many)
    for (int i = 0; i < 4; i++)
        many[i] = printf("%d", i);
    // BAD: error[GPUC0005]: `fprintf` cannot be called in device code
    #pragma acc serial
    fprintf(stderr, "%d", n);
#endif
    return 0;
}
