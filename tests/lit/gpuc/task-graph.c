// RUN: gpuc -fjolokia --print-task-graph %s -o - | golden
// RUN: gpuc -fjolokia --emit=task-graph %s -o - | FileCheck %s
// RUN: gpuc -fjolokia --print-task-graph=svg %s -o - | FileCheck %s --check-prefix=SVG
// RUN: not gpuc -fjolokia --print-task-graph=png %s -o - 2>&1 | FileCheck %s --check-prefix=PNG
/* Tasks of device and host, and what moves between them (Patel 2014, listings 3.6 and 4.8, figures 3.4 and 4.7). */
#include <stdio.h>

void add(f64Array &A, f64Array &B, f64Array &C) { A = B + C; }
void scale(f64Array &A, f64Scalar &S) { A = S * A; }

void print(f64Array &A)
{
    for (int i = 0; i < A.length; i++)
        printf("%g", A(i));
}

void stencil(f32Array &A, f32Array &B)
{
    B = shift(A, -1, 0) + shift(A, 1, 0) + shift(A, 0, -1) + shift(A, 0, 1);
}

void copy(f32Array &A, f32Array &B) { A = B; }

void listing_3_6(int n)
{
    f64Array A(n), B(n), C(n);
    f64Scalar S = 1.5;
    B = 1;
    C = 2;
    #pragma jolokia gpuIn(A, B, C) gpuOut(A)
    add(A, B, C);
    print(A);
    #pragma jolokia gpuIn(A, S) gpuOut(A)
    scale(A, S);
    print(A);
}

void listing_4_8(int n, int iter)
{
    f32Array A(n, n), B(n, n);
    A = 1;
    for (int t = 0; t < iter; t++) {
        #pragma jolokia gpuIn(A, B) gpuOut(B) tile(32, 8, 1)
        stencil(A, B);
        #pragma jolokia gpuIn(A, B) gpuOut(A) tile(32, 8, 1)
        copy(A, B);
        if (t == 7)
            printf("%g\n", A(1, 1));
    }
    printf("%g\n", A(2, 2));
}

// PNG: error[{{.*}}]: no graph of tasks as `png`
// SVG: <svg xmlns="http://www.w3.org/2000/svg" width="
// SVG: <text {{.*}} font-weight="bold">listing_3_6</text>
// SVG: <rect {{.*}} fill="lightgrey" stroke="black"/>
// SVG-NEXT: <text {{.*}}>GPU task
// SVG-NEXT: <text {{.*}}>GIN: B, C</text>
// SVG: <polyline points="
// SVG: <text {{.*}} font-weight="bold">listing_4_8</text>
// SVG: </svg>
// Listing 3.8: everything goes there once, and A comes back behind each task.
// CHECK-LABEL: digraph "listing_3_6"
// CHECK: CPU task{{.*}}MODEF: B, C
// CHECK: GPU task{{.*}}GIN: B, C\lGOUT: A\lto device: {{.*}}A
// CHECK: CPU task{{.*}}USE: A\lto host: A
// CHECK: GPU task{{.*}}GIN: A\lGOUT: A\l"
// CHECK: CPU task{{.*}}USE: A\lto host: A
// CHECK: }
// CHECK-LABEL: digraph "listing_4_8"
// CHECK: GPU task{{.*}}to device on some ways:
