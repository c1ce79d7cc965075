// A stencil of three dimensions under a loop over time.
#include <stdio.h>

#define MOST 19

static double a[MOST][MOST][MOST], b[MOST][MOST][MOST];

static void run(int n, int steps)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] = b[i][j][k] = (i + 2 * j + 3 * k) % 13;
    #pragma acc kernels copy(a, b)
    for (int t = 1; t <= steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    b[i][j][k] = 0.125 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                                 0.125 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                                 0.125 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) + a[i][j][k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    a[i][j][k] = b[i][j][k] - 1;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                sum += (i % 3 + j % 5 + k % 7 + 1) * a[i][j][k];
    printf("%d cells a side, %d steps: %.10g\n", n, steps, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 3, 16, 19};
    for (int i = 0; i < 5; i++)
        for (int steps = 0; steps < 4; steps++)
            run(sizes[i], steps);
    return 0;
}
