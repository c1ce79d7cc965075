// A step of which only part is parallel: serial code between, small loops, and a local array that steps fill.
#include <stdio.h>

#define MOST 256

static int a[MOST], b[MOST], first[8];

static void run(int n, int steps)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i * 7 % 11;
    for (int i = 0; i < 8; i++)
        first[i] = 0;
    #pragma acc kernels copy(a[0:n], b[0:n], first)
    for (int t = 0; t < steps; t++) {
        int weights[3];
        for (int k = 0; k < 3; k++)
            weights[k] = t + k + first[k];
        for (int i = 0; i < n; i++)
            b[i] = a[i] * weights[i % 3] % 101;
        // Each element needs the one before.
        for (int i = 1; i < n; i++)
            b[i] = (b[i] + b[i - 1]) % 97;
        first[t % 8] = n > 0 ? b[n - 1] : -1;
        for (int i = 0; i < n; i++)
            a[i] = b[i] + first[t % 8];
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1L) * a[i] + b[i];
    printf("%d elements, %d steps: %ld %d %d\n", n, steps, sum, first[0], first[1]);
}

int main(void)
{
    int sizes[] = {0, 1, 131, 256}, steps[] = {0, 1, 2, 5};
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 4; t++)
            run(sizes[i], steps[t]);
    return 0;
}
