/* The wave equation on a membrane, all steps in one `kernels` region: the loop over time stays on the
   host and launches a grid for each of its two loops.  Usage: wave2d [rows [columns [steps]]] */
#include "check.h"
#include <string.h>

/* A leapfrog step for each turn: `height` goes ahead by `speed`, which the neighbours pull. The
   border is held fixed. `coupling` is the square of the Courant number. */
static void wave(int rows, int columns, int steps, double coupling, double *restrict height,
                 double *restrict speed)
{
    #pragma acc kernels copy(height[0:rows*columns], speed[0:rows*columns])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                speed[i * columns + j] +=
                    coupling * (height[i * columns + j - 1] + height[i * columns + j + 1] +
                                height[(i - 1) * columns + j] + height[(i + 1) * columns + j] -
                                4 * height[i * columns + j]);
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                height[i * columns + j] += speed[i * columns + j];
    }
}

static void wave_on_host(int rows, int columns, int steps, double coupling, double *height,
                         double *speed)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                speed[i * columns + j] +=
                    coupling * (height[i * columns + j - 1] + height[i * columns + j + 1] +
                                height[(i - 1) * columns + j] + height[(i + 1) * columns + j] -
                                4 * height[i * columns + j]);
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                height[i * columns + j] += speed[i * columns + j];
    }
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 67);
    int columns = size_argument(argc, argv, 2, 131);
    int steps = size_argument(argc, argv, 3, 100);
    size_t count = (size_t)rows * columns;
    double *height = allocate(count, sizeof *height);
    double *speed = allocate(count, sizeof *speed);
    double *expected = allocate(count, sizeof *expected);
    double *expected_speed = allocate(count, sizeof *expected_speed);
    /* A drop a third of the way in. */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double y = i - rows / 3, x = j - columns / 3;
            if (i > 0 && j > 0 && i < rows - 1 && j < columns - 1)
                height[i * columns + j] = 1 / (1 + 0.25 * (x * x + y * y));
        }
    memcpy(expected, height, count * sizeof *height);

    double start = seconds();
    wave(rows, columns, steps, 0.25, height, speed);
    double device = seconds() - start;
    start = seconds();
    wave_on_host(rows, columns, steps, 0.25, expected, expected_speed);
    double host = seconds() - start;

    /* Products with powers of two are exact, fused or not, and sums are in the order written: the
       same bits. */
    double error = max_error_double(count, height, expected);
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d, %d steps", rows, columns, steps);
    int status = report("wave2d", sizes, "max relative error", error, 0.0, device, host);
    free(height);
    free(speed);
    free(expected);
    free(expected_speed);
    return status;
}
