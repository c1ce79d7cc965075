// A stencil of one dimension under a loop over time: two launches a step.
#include <stdio.h>

#define MOST 256

static double a[MOST], b[MOST];

static void run(int n, int steps)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i * i % 23;
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * (a[i - 1] + 2 * a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.25 * (b[i - 1] + 2 * b[i] + b[i + 1]);
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * a[i] + b[i];
    printf("%d cells, %d steps: %.10g\n", n, steps, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 3, 131, 256}, steps[] = {0, 1, 2, 5};
    for (int i = 0; i < 6; i++)
        for (int t = 0; t < 4; t++)
            run(sizes[i], steps[t]);
    return 0;
}
