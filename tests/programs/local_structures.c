// Structures of a region's own: initialised in part, copied, returned, shared by the threads of a
// gang, set between loops.
#include <stdio.h>

#define N 8

struct pair {
    int a;
    short b;
};

struct mixed {
    char c;
    double d[2];
    struct pair p;
    float f;
};

static struct pair make(int x)
{
    struct pair r = {x, 2};
    return r;
}

static struct mixed mix(struct pair p, double d)
{
    struct mixed m = {.p = p, .d = {d}};
    m.c = (char)(p.a + 1);
    return m;
}

int main(void)
{
    int v[N] = {0}, r = 1;
    struct pair t = {0, 0};

    #pragma acc kernels copy(v, r)
    {
        struct pair w = {3, 4};
        w.a += r;
        for (int i = 0; i < N; i++)
            v[i] += i + w.a;
        r = w.a;
    }
    printf("between loops: %d %d %d\n", r, v[1], v[N - 1]);

    #pragma acc kernels copy(t, v)
    {
        t = make(4);
        for (int i = 0; i < N; i++)
            v[i] += i;
    }
    printf("returned: %d %d %d\n", t.a, t.b, v[N - 1]);

    #pragma acc parallel loop gang copy(v)
    for (int i = 0; i < N; i++) {
        struct pair l = make(i), m = l;
        v[i] += m.a;
        #pragma acc loop vector
        for (int j = 0; j < 4; j++)
            if (j == i)
                v[i] += m.b;
    }
    printf("shared by a gang: %d %d %d\n", v[0], v[3], v[N - 1]);

    double sum = 0;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < N; i++) {
        struct mixed a[2] = {mix(make(i), 0.5 * i)}, b;
        b = i % 2 ? a[0] : mix(a[0].p, 8);
        a[1] = b;
        sum += a[1].d[0] + a[1].d[1] + a[1].p.a + a[1].p.b + a[1].c + a[1].f;
    }
    printf("members: %g\n", sum);
    return 0;
}
