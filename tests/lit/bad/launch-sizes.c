// Numbers that no launch can have, each at its clause.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not gpuc -DLARGE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not gpuc -DWORKERS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WORKERS
int a[100];

void f(void)
{
#if !defined LARGE && !defined WORKERS
    // CHECK: error: `num_gangs` takes a positive number, not 0
    // CHECK-NEXT: --> tests/lit/bad/launch-sizes.c:[[@LINE+3]]:41
    // CHECK: help: leave the clause out to have the number chosen
    // CHECK: error: `num_workers` takes a positive number, not -3
    #pragma acc parallel loop num_gangs(0) num_workers(-3)
    for (int i = 0; i < 100; i++)
        a[i] = i;
    // CHECK: error: `vector_length` takes a positive number, not 0
    #pragma acc kernels vector_length(1 - 1)
    {
        // CHECK: error: `gang` takes a positive number, not -1
        // CHECK: error: `vector` takes a positive number, not 0
        #pragma acc loop gang(-1) vector(0)
        for (int i = 0; i < 100; i++)
            a[i] = i;
    }
    // CHECK: error: `num_gangs` takes an `int`, which 5000000000 is none of
    #pragma acc parallel loop num_gangs(5000000000)
    for (int i = 0; i < 100; i++)
        a[i] = i;
    // CHECK: error: `tile` takes a positive number, not 0
    // CHECK: help: write `*` to have the size chosen
    #pragma acc parallel loop tile(*, 0)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            a[10 * i + j] = i;
    // CHECK: error: there is no queue -9
    // CHECK: help: queues are numbers from 0 on, `acc_async_noval` and `acc_async_sync`
    #pragma acc wait(-9)
    // CHECK: error: there is no queue -3
    #pragma acc parallel loop async(-3)
    for (int i = 0; i < 100; i++)
        a[i] = i;
#elif defined LARGE
    // LARGE: error: 1 worker of vector length 5000 are 5000 threads; a gang has 1 to 1024
    // LARGE-NEXT: --> tests/lit/bad/launch-sizes.c:[[@LINE+2]]:45{{$}}
    // LARGE: help: ask for fewer, or leave the numbers out
    #pragma acc parallel loop vector_length(5000)
    for (int i = 0; i < 100; i++)
        a[i] = i;
#else
    // WORKERS: error: 2048 workers of vector length 64
    // WORKERS-NEXT: --> tests/lit/bad/launch-sizes.c:[[@LINE+1]]:43{{$}}
    #pragma acc parallel loop num_workers(2048) vector_length(64) worker vector
    for (int i = 0; i < 100; i++)
        a[i] = i;
#endif
}
