// Pointers that may reach the same memory: loops over them run in parallel where they do not, and
// in order where they do.
#include <stdio.h>

#define N 200

static void next(int n, int *to, const int *from)
{
    #pragma acc kernels present(to, from)
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

static void promised(int n, int *restrict to, const int *restrict from)
{
    #pragma acc kernels copy(to[0:n]) copyin(from[0:n])
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

// A pointer made from a `restrict` one may reach the same elements.
static void derived(int n, int *restrict from)
{
    int *to = from + 1;
    #pragma acc kernels present(from, to)
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

// The bound is stored to by another name.
static void bounded(int *bound, int *p, int *out)
{
    #pragma acc kernels present(bound, p, out)
    for (int i = 0; i < bound[0]; i++) {
        p[0] = 5;
        out[i] = i;
    }
}

static void sections(int n, int *to, const int *from)
{
    #pragma acc kernels copy(to[0:n]) copyin(from[0:n])
    for (int i = 0; i < n; i++)
        to[i] += 2 * from[i];
}

// Two questions at once: do the rows overlap, and do the arrays.
static void rows(int n, int m, int lda, int *to, const int *from)
{
    #pragma acc kernels present(to, from)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            to[i * lda + j] = from[i * lda + j] + i;
}

static long sum(const int *a, int n)
{
    long total = 0;
    for (int i = 0; i < n; i++)
        total += (long)a[i] * (i + 1);
    return total;
}

int main(void)
{
    int a[N], b[N], *p = a, *q = a + 1;
    for (int i = 0; i < N; i++) {
        a[i] = i % 3;
        b[i] = i % 5;
    }
    #pragma acc data copy(a)
    {
        #pragma acc kernels
        for (int i = 0; i < N - 1; i++)
            q[i] = p[i] + 1;
    }
    printf("one on: %ld\n", sum(a, N));
    #pragma acc data copy(a)
    {
        #pragma acc kernels
        for (int i = 0; i < N - 1; i++)
            p[i] = q[i] * 2;
        #pragma acc kernels
        for (int i = 3; i < N; i++)
            a[i] = p[i - 3] + 1;
    }
    printf("one back, the array itself: %ld\n", sum(a, N));
    #pragma acc data copy(a, b)
    {
        next(N - 2, a + 2, a);
        next(N, b, a);
        next(N / 2, a, a + N / 2);
    }
    printf("through a function: %ld %ld\n", sum(a, N), sum(b, N));
    int bound[1] = {20}, *to_bound = bound;
    #pragma acc data copy(a, b, bound)
    {
        derived(N - 1, a);
        bounded(bound, bound, b);
        #pragma acc kernels
        for (int i = 0; i < bound[0]; i++) {
            to_bound[0] = 3;
            b[i] += 7;
        }
    }
    printf("derived: %ld %ld %d\n", sum(a, N), sum(b, N), bound[0]);
    promised(N, a, b);
    sections(N / 2, a, a + N / 2);
    sections(N, a, b);
    #pragma acc data copy(a)
    {
        sections(N / 2, a, a + N / 2);
        sections(N / 2, a + N / 4, a);
    }
    printf("sections: %ld\n", sum(a, N));
    #pragma acc data copy(a, b)
    {
        rows(10, 12, 12, a, b);
        rows(10, 12, 7, a, b);
        rows(10, 9, 12, a + 3, a);
        rows(10, 12, 9, a + 1, a);
    }
    printf("rows: %ld %ld\n", sum(a, N), sum(b, N));
    return 0;
}
