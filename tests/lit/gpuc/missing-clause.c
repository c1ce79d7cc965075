// A scalar that all iterations of a loop change and no clause names is warned of; a program can put the clause there.
// RUN: gpuc -fopenmp -fdiagnostics-parseable-fixits -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not gpuc -fopenmp -Werror=missing-clause -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: gpuc -fopenmp -Wno-missing-clause -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// ERROR: error[GPUC0033]: all iterations of this `parallel loop` combine values in `sum`
// OFF-NOT: GPUC0033
double sums(int n, const double *a)
{
    double sum = 0, named = 0, inner = 0;
    // CHECK: warning[GPUC0033]: all iterations of this `parallel loop` combine values in `sum`, and no `reduction` says so
    // CHECK: fix-it:"{{.*}}missing-clause.c":{[[#@LINE+1]]:17-[[#@LINE+1]]:30}:"parallel loop reduction(+:sum)"
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        sum += a[i];
    // CHECK-NOT: GPUC0033
    #pragma acc parallel loop copyin(a[0:n]) reduction(+:named)
    for (int i = 0; i < n; i++)
        named += a[i];
    #pragma acc kernels loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        inner += a[i];
    return sum + named + inner;
}
void threads(int n, double *a)
{
    double t, s = 0, counted = 0;
    int j;
    // CHECK: warning[GPUC0033]: all iterations of this `target teams distribute parallel for` set `t`, which threads share
    // CHECK: fix-it:{{.*}}:"target teams distribute parallel for private(t)"
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++) {
        t = a[i] * 2;
        a[i] = t * t;
    }
    // CHECK: warning[GPUC0033]: all iterations of this `target teams distribute parallel for` set `j`
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n; i++)
        for (j = 0; j < 3; j++)
            a[i] += j;
    // CHECK: warning[GPUC0033]: all iterations of this `target teams distribute parallel for` combine values in `s`
    #pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: s)
    for (int i = 0; i < n; i++)
        s += a[i];
    // CHECK-NOT: GPUC0033
    #pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: counted)
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        counted += a[i];
    }
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n]) private(t)
    for (int i = 0; i < n; i++) {
        t = a[i] * 2;
        a[i] = t * t;
    }
    #pragma omp target parallel map(tofrom: counted)
    {
        #pragma omp masked
        counted += 1;
    }
    a[0] = s + counted;
}
