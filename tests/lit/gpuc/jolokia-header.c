// RUN: gpuc -fjolokia --emit=plan %s -o - | FileCheck %s
// The compiler brings the header; what its macros make is a task as any other.
#include <jolokia.h>

static void add(f64Reference(A), const f64Reference(B))
{
    _for (int i = 0; i < length(A); i++)
        elem(A, i) += elem(B, i);
}

void all(int n)
{
    f64Array(A, n);
    f64Array(B, n);
    // CHECK: kernel all:[[#@LINE+2]]
    // CHECK: map i to block.x thread.x by 128
    #pragma jolokia gpuIn(A, B) gpuOut(A) tile(128, 1, 1)
    add(array(A), array(B));
}
