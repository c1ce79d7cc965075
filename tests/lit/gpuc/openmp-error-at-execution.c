// RUN: gpuc run --device=sim -fopenmp %s -- 3 2>&1 | FileCheck %s --check-prefix=WARNS
// RUN: not gpuc run --device=sim -fopenmp %s -- 9 2>&1 | FileCheck %s --check-prefix=STOPS
/* `error at(execution)` of device code (OpenMP 5.2 §8.5): a message of the running program, which ends it unless it is a warning. */
#include <stdio.h>
#include <stdlib.h>

static int checked(int value)
{
    if (value > 5) {
        #pragma omp error at(execution) message("too much")
        value = 5;
    }
    return value;
}

int main(int argc, char **argv)
{
    int value = argc > 1 ? atoi(argv[1]) : 0;
    #pragma omp target map(tofrom: value)
    {
        if (value > 2) {
            #pragma omp error severity(warning) at(execution)
            value++;
        }
        value = checked(value);
    }
    // WARNS: warning: the program says `error`
    // WARNS: now 4
    // STOPS: warning: the program says `error`
    // STOPS: error: too much
    // STOPS-NOT: now
    printf("now %d\n", value);
    return 0;
}
