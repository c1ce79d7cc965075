/* Laplace's equation on a plate by Jacobi's method, as jacobi2d.c, in JolokiaC++: gpuc run -fjolokia jacobi_jolokia.c
   The kernel that copies is the same.  Usage: jacobi_jolokia [rows [columns [most]]] */
#include "check.h"
#include <string.h>

#ifndef _for
#define _for for
#endif

static const double small_enough = 1e-3;

/* Gives the largest change. */
static double sweep(int rows, int columns, const double *grid, double *next)
{
    double change = 0.0;
    _for (int i = 1; i < rows - 1; i++) {
        _for (int j = 1; j < columns - 1; j++) {
            next[i * columns + j] =
                0.25 * (grid[i * columns + j - 1] + grid[i * columns + j + 1] +
                        grid[(i - 1) * columns + j] + grid[(i + 1) * columns + j]);
            change = fmax(change, fabs(next[i * columns + j] - grid[i * columns + j]));
        }
    }
    return change;
}

static void take(int rows, int columns, double *grid, const double *next)
{
    _for (int i = 1; i < rows - 1; i++)
        _for (int j = 1; j < columns - 1; j++)
            grid[i * columns + j] = next[i * columns + j];
}

/* Gives the number of sweeps done. The border of `grid` is held fixed; both arrays stay on the device while the host looks
   at the largest change. */
static int jacobi(int rows, int columns, int most, double *restrict grid, double *restrict next)
{
    int sweeps = 0;
    double change = 1.0;
    #pragma jolokia gpuIn(grid) gpuOut(next)
    take(rows, columns, next, grid);
    while (change > small_enough && sweeps < most) {
        #pragma jolokia gpuIn(grid) gpuOut(next)
        change = sweep(rows, columns, grid, next);
        #pragma jolokia gpuIn(next) gpuOut(grid)
        take(rows, columns, grid, next);
        sweeps++;
    }
    return sweeps;
}

static int jacobi_on_host(int rows, int columns, int most, double *grid, double *next)
{
    int sweeps = 0;
    double change = 1.0;
    while (change > small_enough && sweeps < most) {
        change = 0.0;
        for (int i = 1; i < rows - 1; i++) {
            for (int j = 1; j < columns - 1; j++) {
                next[i * columns + j] =
                    0.25 * (grid[i * columns + j - 1] + grid[i * columns + j + 1] +
                            grid[(i - 1) * columns + j] + grid[(i + 1) * columns + j]);
                change = fmax(change, fabs(next[i * columns + j] - grid[i * columns + j]));
            }
        }
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                grid[i * columns + j] = next[i * columns + j];
        sweeps++;
    }
    return sweeps;
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 67);
    int columns = size_argument(argc, argv, 2, 131);
    int most = size_argument(argc, argv, 3, 500);
    size_t count = (size_t)rows * columns;
    double *grid = allocate(count, sizeof *grid);
    double *next = allocate(count, sizeof *next);
    double *expected = allocate(count, sizeof *expected);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            grid[i * columns + j] = i == 0 ? 1.0 : j == 0 ? 0.5 : 0.0;
    memset(next, 0, count * sizeof *next);
    memcpy(expected, grid, count * sizeof *grid);

    double start = seconds();
    int sweeps = jacobi(rows, columns, most, grid, next);
    double device = seconds() - start;
    start = seconds();
    int expected_sweeps = jacobi_on_host(rows, columns, most, expected, next);
    double host = seconds() - start;

    /* Sums in the order written and a product with a power of two leave no rounding open, and a
       maximum does not depend on its order: the same bits, after as many sweeps. */
    double error = max_error_double(count, grid, expected);
    if (sweeps != expected_sweeps)
        error = INFINITY;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d in %d sweeps", rows, columns, sweeps);
    int status = report("jacobi_jolokia", sizes, "max relative error", error, 0.0, device, host);
    free(grid);
    free(next);
    free(expected);
    return status;
}
