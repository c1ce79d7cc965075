// C that cannot be device code: refused by name, with the way round it where there is one.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden

#include <stdio.h>

struct bits { int a : 3, b : 30; } __attribute__((packed));
typedef float vector4 __attribute__((vector_size(16)));
int defined_elsewhere(int);

void calls(int n, float *a, int (*pointer)(int))
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = defined_elsewhere(i);
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) fprintf(stderr, "%d\n", i);
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = pointer(i);
}

void types(int n, float *a, struct bits *b, long double _Complex *z, vector4 *v)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = b[i].b;
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) z[i] = 1;
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) v[i] += v[i];
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = (long double)a[i];
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = (__int128)i;
}

void jumps(int n, float *a)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) { if (a[i] > 1) goto out; a[i] = 1; out: ; }
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) { if (i > 4) break; }
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) { if (i > 4) return; }
    #pragma acc parallel loop
    for (int i = 1; i < n; i *= 2) a[i] = 1;
    #pragma acc parallel loop
    for (float *p = a; p < a + n; p++) *p = 1;
}

void other(int n, float *a, float *b)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) __asm__("nop");
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) { static int k; a[i] = 1; }
}

int each_gang(int n, float *a)
{
    int sum = 0, last = 0;
    #pragma acc parallel num_gangs(n) reduction(+: sum) copy(a[0:1])
    {
        sum += last = 3;
        a[0] = last;
    }
    return sum;
}

struct parts { int n; float *p; float a[4]; };

void copies_of_members(int n, float *x, struct parts *q, struct parts v)
{
    #pragma acc parallel loop private(q->p[0:n])
    for (int i = 0; i < n; i++) q->p[i] = 1;
    #pragma acc parallel loop private(v.a) copyout(x[0:n])
    for (int i = 0; i < n; i++) { v.a[i % 4] = 1; x[i] = v.a[i % 4]; }
    #pragma acc parallel firstprivate(v.a) copyout(x[0:n])
    for (int i = 0; i < n; i++) { v.a[1]++; x[i] = v.a[1]; }
}
