// Checkers watch the kernels of a program; what they find makes its exit status 1.
// RUN: gpuc check %s -- right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not gpuc run --check=racecheck %s -- race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not gpuc check %s -- fresh 2>&1 | FileCheck %s --check-prefix=FRESH
// RUN: not gpuc run --check=racecheck --check-format=json %s -- race 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not gpuc run --check=racechek %s 2>&1 | FileCheck %s --check-prefix=TYPO
#include <stdio.h>
#include <string.h>

#define N 1000

static void shift(float *a)
{
    #pragma acc parallel loop independent copy(a[0:N])
    for (int i = 0; i < N - 40; i++)
        a[i] = a[i + 40] + 1;
    // RACE: error: racecheck: race in global memory: {{read|write}} in no order with another thread's
    // RACE-NEXT: --> tests/lit/gpuc/check.c:[[@LINE-2]]:
    // RACE: of `a[0:1000]`
    // RACE: = help: the other: {{read|write}} by block
    // JSON: "checker":"racecheck","kind":"race-
    // JSON-SAME: "file":"tests/lit/gpuc/check.c","line":[[@LINE-6]]
}

static void sum(const float *a, float *b)
{
    float tmp[N];
    #pragma acc data create(tmp[0:N]) copyin(a[0:N]) copyout(b[0:N])
    {
        #pragma acc parallel loop present(tmp[0:N], a[0:N])
        for (int i = 1; i < N; i++)
            tmp[i] = 2 * a[i];
        #pragma acc parallel loop present(tmp[0:N], b[0:N])
        for (int i = 0; i < N; i++)
            b[i] = tmp[i];
        // FRESH: error: initcheck: read of 4 bytes of uninitialized global memory
        // FRESH-NEXT: --> tests/lit/gpuc/check.c:[[@LINE-2]]:
        // FRESH: element 0 of `tmp[0:1000]`
    }
}

static void twice(float *a)
{
    #pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < N; i++)
        a[i] = 2 * a[i];
}

int main(int argc, char **argv)
{
    static float a[N], b[N];
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "race"))
        shift(a);
    else if (!strcmp(what, "fresh"))
        sum(a, b);
    else
        twice(a);
    // What was printed is not lost.
    printf("done\n");
    return 0;
    // RIGHT-NOT: error
    // RIGHT: done
    // RIGHT-NOT: error
    // FRESH: done
}
// TYPO: error[GPUC0013]: unknown checker `racechek`
// TYPO: did you mean `racecheck`?
