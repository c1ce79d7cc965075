/* begin declare variant (OpenMP 5.2 §7.5.5): functions of the same name for other places; the lines behind stay what they are. */
#include <stdio.h>

#define N 50

struct pair {
    int a, b;
};

static void fill(int n, int *a)
{
    for (int i = 0; i < n; i++)
        a[i] = i + 1;
}

static int half(struct pair p) { return p.a; }

#ifndef NATIVE
#pragma omp begin declare variant match(construct={target})
enum { STEP = 3 };

static void fill(int n,
                 int *a)
{
    #pragma omp for
    for (int i = 0; i < n; i++)
        a[i] = i + STEP;
}

static int half(struct pair p) { return p.b; }
#pragma omp end declare variant

/* Not for this device. */
#pragma omp begin declare variant match(device={kind(fpga)})
static int half(struct pair p) { return -1; }
#pragma omp end declare variant
#endif

int main(void)
{
    int sizes[] = {0, 1, N};
    for (int k = 0; k < 3; k++) {
        int n = sizes[k], a[N] = {0}, w = 0, s = 0;
        struct pair p = {1, 2};
        fill(n, a);
        for (int i = 0; i < N; i++)
            s += a[i];
        printf("%d: %d %d", n, s, half(p));
#ifdef NATIVE
        for (int i = 0; i < n; i++)
            a[i] = i + 3;
        w = p.b;
#else
        #pragma omp target map(tofrom: a, w) map(to: p)
        {
            fill(n, a);
            w = half(p);
        }
#endif
        s = 0;
        for (int i = 0; i < N; i++)
            s += a[i];
        printf(" %d %d, line %d\n", s, w, __LINE__);
    }
    return 0;
}
