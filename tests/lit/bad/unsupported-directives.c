// What OpenACC has and gpuc does not yet have: refused by name with the section that defines it.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden

struct pair { int a, b; };

void f(int n, float *a, struct pair p)
{
    #pragma acc parallel loop reduction(+: p)
    for (int i = 0; i < n; i++) a[i] = 0;
}
