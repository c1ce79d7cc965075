// Launches that no device takes: refused at compile time where the sizes are known, else when the
// kernel is launched.
// RUN: not gpuc -DVECTOR=2048 -DWORKERS=1 %s -o %t 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: {{.*}}vector length 2048
// VECTOR-NEXT: --> tests/lit/bad/large-launch.c:[[@LINE+43]]:
// RUN: not gpuc -DVECTOR=64 -DWORKERS=64 %s -o %t 2>&1 | FileCheck %s --check-prefix=WORKERS
// WORKERS: error: 64 workers of vector length 64
// WORKERS-NEXT: --> tests/lit/bad/large-launch.c:[[@LINE+40]]:
// RUN: not gpuc run --device=sim -DVECTOR=size -DWORKERS=1 %s -- 2048 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: error: cannot launch kernel {{.*}}: the block has 2048 threads in x, the limit is 1024
// LAUNCH-NEXT: --> tests/lit/bad/large-launch.c:[[@LINE+36]]:5
// LAUNCH-NOT: done
// A number that is too small is said with clause, variable and value; one is taken.
// RUN: gpuc run --device=sim -DVECTOR=size -DWORKERS=1 %s -- 0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING: warning: vector_length(size): `size` is 0, and 1 is taken
// NOTHING-NEXT: --> tests/lit/bad/large-launch.c:[[@LINE+30]]:5
// NOTHING: done 1
// RUN: gpuc run --device=sim -DVECTOR=32 -DWORKERS=size %s -- -7 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: warning: num_workers(size): `size` is -7, and 1 is taken
// NEGATIVE: done 1
// The clause that is written is named, and a limit is reported at the clause.
// RUN: gpuc run --device=sim -DLOOP -DVECTOR=32 -DWORKERS=2 %s -- 0 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: warning: gang(size): `size` is 0, and 1 is taken
// LOOP: warning: worker(...) is 0, and 1 is taken
// LOOP: done 1
// RUN: not gpuc run --device=sim -DLOOP -DVECTOR=2048 %s 2>&1 | FileCheck %s --check-prefix=CLAUSE
// CLAUSE: error: 1 worker of vector length 2048 are 2048 threads; a gang has 1 to 1024
// CLAUSE-NEXT: --> tests/lit/bad/large-launch.c:[[@LINE+7]]:66{{$}}
#include <stdio.h>
#include <stdlib.h>
#ifdef LOOP
int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 32, a[100];
    #pragma acc parallel loop gang(size) worker(size * 2) vector(VECTOR) copy(a)
    for (int i = 0; i < 100; i++)
        a[i] = 1;
    printf("done %d\n", a[5]);
    return 0;
}
#else
int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 32, a[100];
    #pragma acc parallel num_workers(WORKERS) vector_length(VECTOR) copy(a)
    {
        #pragma acc loop gang worker vector
        for (int i = 0; i < 100; i++)
            a[i] = 1;
    }
    printf("done %d\n", a[5]);
    return 0;
}
#endif
