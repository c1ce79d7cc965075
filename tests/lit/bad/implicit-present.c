// What a pointer in no clause points to must be there: the message does not speak of a clause.
// RUN: gpuc %s -o %t
// RUN: not env GPUC_DEVICE=sim %t 2>&1 | FileCheck %s
// RUN: not env GPUC_DEVICE=sim %t update 2>&1 | FileCheck %s --check-prefix=UPDATE
#include <stdlib.h>

int main(int argc, char **argv)
{
    int *p = calloc(100, sizeof *p);
    if (argc > 1) {
        // UPDATE: error: data in `update self` clause was not found on device 0
        // UPDATE: help: bring `p[0:10]` in with a data region or `enter data` before, or give the update an `if` clause
        #pragma acc update self(p[0:10])
    }
    #pragma acc data copy(p[0:100]) if(argc > 5)
    {
        // CHECK: error: data in no clause of this `parallel loop` was not found on device 0: name=p
        // CHECK: help: bring `p` in with a data region or `enter data` before, or name it here in a clause
        #pragma acc parallel loop
        for (int i = 0; i < 10; i++)
            p[i] = 1;
    }
    return argv[0] == 0;
}
