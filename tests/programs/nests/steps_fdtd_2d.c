// Waves in two fields that drive each other; the source is a value that the host knows in each step.
#include <stdio.h>

#define MOST 37

static double ex[MOST][MOST], ey[MOST][MOST], hz[MOST][MOST], fict[8];

static void run(int nx, int ny, int steps)
{
    for (int t = 0; t < 8; t++)
        fict[t] = t + 1;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            ex[i][j] = (i * (j + 1)) % 7;
            ey[i][j] = (i * (j + 2)) % 5;
            hz[i][j] = (i * (j + 3)) % 9;
        }
    #pragma acc kernels copy(ex, ey, hz) copyin(fict)
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < ny; j++)
            ey[0][j] = fict[t];
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] = hz[i][j] - 0.75 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
    double sum = 0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            sum += (i + 1) * ex[i][j] + (j + 1) * ey[i][j] + hz[i][j];
    // The source's row is written where there is no other.
    for (int j = 0; j < ny; j++)
        sum += (j + 2) * ey[0][j];
    printf("%dx%d, %d steps: %.10g\n", nx, ny, steps, sum);
}

int main(void)
{
    int sizes[][2] = {{0, 0}, {0, 8}, {8, 0}, {1, 1}, {1, 8}, {8, 1}, {2, 3}, {37, 29}, {32, 32}};
    for (int i = 0; i < 9; i++)
        for (int steps = 0; steps < 5; steps += 2)
            run(sizes[i][0], sizes[i][1], steps);
    return 0;
}
