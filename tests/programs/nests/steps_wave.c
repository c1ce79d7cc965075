// The wave equation with three levels of time that change roles by their number.
#include <stdio.h>

#define MOST 64

static float u[3][MOST][MOST];

static void run(int n, int steps)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            u[0][i][j] = u[1][i][j] = (i * j) % 9;
            u[2][i][j] = 0;
        }
    #pragma acc kernels copy(u)
    for (int t = 0; t < steps; t++) {
        int before = t % 3, now = (t + 1) % 3, next = (t + 2) % 3;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[next][i][j] = 2 * u[now][i][j] - u[before][i][j] +
                                0.25f * (u[now][i - 1][j] + u[now][i + 1][j] + u[now][i][j - 1] +
                                         u[now][i][j + 1] - 4 * u[now][i][j]);
    }
    double sum = 0;
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                sum += (l + i % 5 + j % 3 + 1) * u[l][i][j];
    printf("%d cells a side, %d steps: %.10g\n", n, steps, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 3, 37, 64}, steps[] = {0, 1, 2, 3, 4};
    for (int i = 0; i < 5; i++)
        for (int t = 0; t < 5; t++)
            run(sizes[i], steps[t]);
    return 0;
}
