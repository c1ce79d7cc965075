/* Laplace's equation on a plate by Jacobi's method, as jacobi2d.c, in OpenHMPP: gpuc run -fhmpp jacobi_hmpp.c
   The kernels are the same.  Usage: jacobi_hmpp [rows [columns [most]]] */
#include "check.h"
#include <string.h>

static const double small_enough = 1e-3;

#pragma hmpp <plate> group, target=CUDA, transfer=manual
#pragma hmpp <plate> mapbyname, args[grid; next]

/* The largest change comes back with the call, the plate stays on the device. */
#pragma hmpp <plate> sweep codelet, args[grid].io=in, args[next].io=inout, args[largest].io=out, &
#pragma hmpp & args[grid; next].size={rows * columns}, args[largest].transfer=atcall
static void sweep(int rows, int columns, const double *grid, double *next, double largest[1])
{
    double change = 0.0;
    #pragma hmppcg gridify(i, j), reduce(max: change)
    for (int i = 1; i < rows - 1; i++) {
        for (int j = 1; j < columns - 1; j++) {
            next[i * columns + j] =
                0.25 * (grid[i * columns + j - 1] + grid[i * columns + j + 1] +
                        grid[(i - 1) * columns + j] + grid[(i + 1) * columns + j]);
            change = fmax(change, fabs(next[i * columns + j] - grid[i * columns + j]));
        }
    }
    largest[0] = change;
}

#pragma hmpp <plate> take codelet, args[grid; next].size={rows * columns}
static void take(int rows, int columns, double *grid, const double *next)
{
    #pragma hmppcg gridify(i, j)
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            grid[i * columns + j] = next[i * columns + j];
}

/* Gives the number of sweeps done. The border of `grid` is held fixed. */
static int jacobi(int rows, int columns, int most, double *grid, double *next)
{
    int sweeps = 0;
    double change[1] = {1.0};
    #pragma hmpp <plate> allocate
    #pragma hmpp <plate> take advancedload, args[grid; next]
    while (change[0] > small_enough && sweeps < most) {
        #pragma hmpp <plate> sweep callsite
        sweep(rows, columns, grid, next, change);
        #pragma hmpp <plate> take callsite
        take(rows, columns, grid, next);
        sweeps++;
    }
    #pragma hmpp <plate> take delegatedstore, args[grid]
    #pragma hmpp <plate> release
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
    int status = report("jacobi_hmpp", sizes, "max relative error", error, 0.0, device, host);
    free(grid);
    free(next);
    free(expected);
    return status;
}
