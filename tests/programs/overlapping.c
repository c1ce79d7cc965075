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
