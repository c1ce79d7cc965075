// RUN: not gpuc -fjolokia -c %s -o /dev/null 2>&1 | golden
#include <stdio.h>

#pragma jolokia gpuIn(x)
static void step(int n, float *a)
{
    _for (int i = 0; i < n; i++)
        a[i] += 1;
}

void unknown(float *a);

void tasks(int n, float *a)
{
    #pragma jolokia gpuin(a) gpuOut(a)
    step(n, a);
    #pragma jolokia gpuIn(a) gpuOut(a) tile(32, 8, 2)
    step(n, a);
    #pragma jolokia gpuIn(a) gpuOut(a) tile(64, 64)
    step(n, a);
    #pragma jolokia gpuIn(a) gpuOut(a) tile(n)
    step(n, a);
    #pragma jolokia tile(32)
    step(n, a);
    #pragma jolokia gpuIn(missing)
    step(n, a);
    #pragma jolokia gpuOut(a)
    a[0] = 1;
    #pragma jolokia gpuIn(a)
    unknown(a);
    #pragma jolokia independent
    while (n-- > 0)
        a[n] = 0;
}
