/* Heat in a plate whose edges are kept cold, in plain C: no pragma stands in this file. With --auto the compiler
   finds the nests; the temperatures stay on the device from step to step, and come back where the program looks at
   them.  Usage: gpuc run --auto examples/heat.c -- [rows [columns [steps]]] */
#include "check.h"

#define PI 3.14159265358979323846

/* What the plate starts with: half a wave in each direction. */
static void warm_up(int rows, int columns, double *t)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            t[i * columns + j] = sin(PI * i / (rows - 1)) * sin(PI * j / (columns - 1));
}

/* One explicit step. */
static void step(int rows, int columns, double c, double *old, double *new)
{
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            new[i * columns + j] =
                old[i * columns + j] +
                c * (old[(i - 1) * columns + j] + old[(i + 1) * columns + j] +
                     old[i * columns + j - 1] + old[i * columns + j + 1] - 4 * old[i * columns + j]);
}

static double heat_in(int rows, int columns, const double *t)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            sum += t[i * columns + j];
    return sum;
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 67);
    int columns = size_argument(argc, argv, 2, 131);
    int steps = size_argument(argc, argv, 3, 60);
    double c = 0.2;
    double *t = allocate((size_t)rows * columns, sizeof *t);
    double *next = allocate((size_t)rows * columns, sizeof *next);

    double start = seconds();
    warm_up(rows, columns, t);
    warm_up(rows, columns, next);
    double before = heat_in(rows, columns, t);
    for (int k = 0; k < steps; k++) {
        step(rows, columns, c, t, next);
        double *swap = t;
        t = next;
        next = swap;
    }
    double after = heat_in(rows, columns, t);
    double device = seconds() - start;

    /* Half a wave stays one: each step takes the same share of it, whatever the sizes. */
    double error = 0;
    if (rows > 2 && columns > 2) {
        double x = sin(PI / (rows - 1) / 2), y = sin(PI / (columns - 1) / 2);
        double wanted = before * pow(1 - 4 * c * (x * x + y * y), steps);
        error = fabs(after - wanted) / before;
    }
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d, %d steps", rows, columns, steps);
    int status = report("heat", sizes, "relative error", error, 1e-12, device, device);
    free(t);
    free(next);
    return status;
}
