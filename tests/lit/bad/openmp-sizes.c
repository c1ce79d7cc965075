// Numbers of teams and threads that no launch can have.
// RUN: not gpuc -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
int a[100];

void f(int n)
{
    // CHECK: error: `num_teams` takes an `int`, which 5000000000 is none of
    // CHECK-NEXT: --> tests/lit/bad/openmp-sizes.c:[[@LINE+2]]:64
    // CHECK: help: leave the clause out to have the number chosen
    #pragma omp target teams distribute parallel for num_teams(5000000000)
    for (int i = 0; i < n; i++)
        a[i] = i;
    // CHECK: error: `num_threads` takes a positive number, not 0
    #pragma omp target parallel for num_threads(0)
    for (int i = 0; i < n; i++)
        a[i] = i;
    // CHECK: error: `num_teams` takes a positive number, not -1
    #pragma omp target teams distribute num_teams(-1)
    for (int i = 0; i < n; i++)
        a[i] = i;
    // CHECK: error: `thread_limit` takes a positive number, not 0
    #pragma omp target teams distribute thread_limit(0)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma omp target teams distribute num_teams(2:4) thread_limit(n)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
