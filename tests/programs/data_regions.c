/* What a construct inside `data` uses, by the section that `data` maps, or as if it were not there. */
#include <stdio.h>
#include <stdlib.h>

#define N 40

struct buffer { int n; float *values; };

static int sum(const int *v, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = s * 7 + v[i];
    return s;
}

/* Element 0 need not be in the section that a `present` clause means. */
static void present_sections(int lo, int n)
{
    int *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b);
    struct buffer s = { N, calloc(N, sizeof(float)) };
    #pragma acc data copy(a[lo:n]) copyin(b[lo:n])
    {
        #pragma acc parallel loop present(a, b)
        for (int i = lo; i < lo + n; i++)
            a[i] = i + b[i];
        #pragma acc data present(a)
        {
            #pragma acc parallel loop
            for (int i = lo; i < lo + n; i++)
                a[i] *= 3;
            #pragma acc kernels loop present(a)
            for (int i = lo; i < lo + n; i++)
                a[i] += 1;
        }
    }
    #pragma acc data copy(s.values[lo:n])
    {
        #pragma acc parallel loop present(s.values)
        for (int i = lo; i < lo + n; i++)
            s.values[i] = i;
    }
    printf("present %d %g\n", sum(a, N), s.values[lo + 1]);
    free(a);
    free(b);
    free(s.values);
}

/* Where the condition does not hold, it is as if there was no `data`. */
static void conditions(int on)
{
    int v[N] = { 0 }, w[N] = { 0 }, out[4] = { 0 };
    const int factors[4] = { 2, 3, 5, 7 };
    int x = 3, total = 4, *p = malloc(N * sizeof *p);
    struct { int a; double b; } pair = { 1, 2 };
    for (int i = 0; i < N; i++)
        p[i] = i;
    #pragma acc data copy(v, w[4:20], total, pair, x) copyin(factors) if(on)
    {
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
            v[i] += 5;
        #pragma acc parallel loop copyout(out)
        for (int i = 0; i < 4; i++)
            out[i] = factors[i] + x;
        #pragma acc parallel loop
        for (int i = 4; i < 24; i++)
            w[i] = i;
        #pragma acc kernels
        total += 10;
        #pragma acc parallel loop reduction(+:total)
        for (int i = 0; i < N; i++)
            total += i;
        #pragma acc serial
        { pair.a += 5; pair.b *= 2; }
    }
    /* The pointer is mapped by the outer construct in any case. */
    #pragma acc data copy(p[0:N])
    {
        #pragma acc data copy(p[2:8]) if(on)
        {
            #pragma acc parallel loop
            for (int i = 0; i < N; i++)
                p[i] += 100;
        }
        #pragma acc data copy(p[2:8], v) if(!on)
        {
            #pragma acc parallel loop present(p)
            for (int i = 0; i < N; i++)
                v[i] += p[i];
        }
    }
    printf("if %d: %d %d %d %d %d %g %d %d\n", on, sum(v, N), sum(w, N), sum(out, 4), x, total, pair.b,
           pair.a, sum(p, N));
    free(p);
}

int main(void)
{
    present_sections(17, 12);
    present_sections(0, N);
    conditions(1);
    conditions(0);
    return 0;
}
