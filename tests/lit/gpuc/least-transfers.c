// RUN: gpuc run --device=sim --report -fjolokia %s -- 0 2>&1 | FileCheck %s --check-prefixes=ALL,NONE
// RUN: gpuc run --device=sim --report -fjolokia %s -- 1 2>&1 | FileCheck %s --check-prefixes=ALL,SOME
/* Several tasks without a word on data: what moves is the least that this program can do with, counted by hand. Arrays have
   a length of their own each, which says in the report what moved. */
#include <stdio.h>
#include <stdlib.h>

static void fill(f64Array &A, double value)
{
    for (int i = 0; i < A.length; i++)
        A(i) = value + i;
}

static void step(f64Array &A, f64Array &B) { B = 2 * A + 1; }
static void add(f64Array &A, f64Array &B, f64Array &C) { A = B + C; }
static void twice(f64Array &A) { A += A; }

/* Two arrays change places: the one that a task reads first goes there, once, and none comes back between the steps. */
static double swaps(void)
{
    f64Array A(1000), B(1000);
    fill(A, 0);
    fill(B, 1);
    for (int t = 0; t < 4; t++) {
        #pragma jolokia gpuIn(A) gpuOut(B)
        step(A, B);
        #pragma jolokia gpuIn(B) gpuOut(A)
        step(B, A);
    }
    return A(500) + B(500);
}

/* What no one looks at does not come back; what both sides only read stays on both. */
static double leaves(void)
{
    f64Array C(2000), D(2000), E(2000);
    fill(D, 2);
    fill(E, 3);
    #pragma jolokia gpuIn(D, E) gpuOut(C)
    add(C, D, E);
    double read = C(7) + D(8);
    #pragma jolokia gpuIn(C) gpuOut(C)
    twice(C);
    return read;
}

/* The host writes on one way only: then, and only then, the array goes there once more. */
static double ways(int writes)
{
    f64Array F(4000);
    fill(F, 4);
    #pragma jolokia gpuIn(F) gpuOut(F)
    twice(F);
    if (writes)
        F(3) = 1;
    #pragma jolokia gpuIn(F) gpuOut(F)
    twice(F);
    return F(3);
}

int main(int argc, char **argv)
{
    int writes = argc > 1 && atoi(argv[1]);
    double a = swaps(), b = leaves(), c = ways(writes);
    printf("%g %g %g\n", a, b, c);
    return 0;
}

// What a task overwrites does not go there: B and C.
// ALL-DAG: A to device: 8,000 bytes in 1 transfer,
// ALL-DAG: D to device: 16,000 bytes in 1 transfer,
// ALL-DAG: E to device: 16,000 bytes in 1 transfer,
// NONE-DAG: :52 F to device: 32,000 bytes in 1 transfer,
// SOME-DAG: :52 F to device: 32,000 bytes in 1 transfer,
// SOME-DAG: :56 F to device: 32,000 bytes in 1 transfer,
// ALL-DAG: A to host: 8,000 bytes in 1 transfer,
// ALL-DAG: B to host: 8,000 bytes in 1 transfer,
// ALL-DAG: C to host: 16,000 bytes in 1 transfer,
// NONE-DAG: F to host: 32,000 bytes in 1 transfer,
// SOME-DAG: F to host: 64,000 bytes in 2 transfers,
// ALL-NOT: {{[BC]}} to device
// NONE: {{^}}192382 29 28
// SOME: {{^}}192382 29 2
