// Two arrays that change roles in each step: on the host, by pointers round the regions, and inside, by number.
#include <stdio.h>
#include <stdlib.h>

static void step(int n, const int *restrict from, int *restrict to)
{
    #pragma acc kernels present(from[0:n], to[0:n])
    for (int i = 0; i < n; i++)
        to[i] = from[i] + (i > 0 ? from[i - 1] : 0) + (i < n - 1 ? from[i + 1] : 0);
}

static void run(int n, int steps)
{
    int *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
    int (*c)[n + 1] = calloc(2, sizeof *c);
    for (int i = 0; i < n; i++)
        a[i] = c[0][i] = i % 5;
    int *from = a, *to = b;
    #pragma acc data copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        step(n, from, to);
        int *other = from;
        from = to;
        to = other;
    }
    #pragma acc kernels copy(c[0:2])
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++)
            c[1 - t % 2][i] = c[t % 2][i] + (i > 0 ? c[t % 2][i - 1] : 0) + (i < n - 1 ? c[t % 2][i + 1] : 0);
    long sum = 0, other = 0;
    for (int i = 0; i < n; i++) {
        sum += (i % 9 + 1L) * from[i];
        other += (i % 9 + 1L) * c[steps % 2][i];
    }
    printf("%d elements, %d steps: %ld %ld\n", n, steps, sum, other);
    free(a);
    free(b);
    free(c);
}

int main(void)
{
    int sizes[] = {0, 1, 131, 256}, steps[] = {0, 1, 2, 5};
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 4; t++)
            run(sizes[i], steps[t]);
    return 0;
}
