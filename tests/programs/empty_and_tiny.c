/* Loops of no iteration, of one, and bounds that are only known at run time. */
#include <stdio.h>
#include <stdlib.h>

static void fill(int n, int first, int *x)
{
    #pragma acc parallel loop copy(x[0:n])
    for (int i = first; i < n; i++)
        x[i] = i + 1;
}

static long triangle(int n)
{
    long sum = 0;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            sum += j - i;
    return sum;
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 1000};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        int *x = calloc(n + 1, sizeof *x);
        x[n] = -1;
        fill(n, 0, x);
        fill(n, n, x);
        fill(n, n + 5, x);
        long sum = 0;
        for (int i = 0; i <= n; i++)
            sum += x[i];
        printf("%d: %ld %ld\n", n, sum, triangle(n));
        free(x);
    }
    return 0;
}
