/* out[j][i] = in[i][j]: reads or writes must cross rows, so everything hangs on the memory
   system.  Usage: transpose [rows [columns]] */
#include "check.h"

static void transpose(int rows, int columns, const float *restrict in, float *restrict out)
{
    #pragma acc parallel loop collapse(2) copyin(in[0:rows*columns]) copyout(out[0:rows*columns])
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[j * rows + i] = in[i * columns + j];
}

static void transpose_on_host(int rows, int columns, const float *in, float *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[j * rows + i] = in[i * columns + j];
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 301);
    int columns = size_argument(argc, argv, 2, 517);
    size_t count = (size_t)rows * columns;
    float *in = allocate(count, sizeof *in);
    float *out = allocate(count, sizeof *out);
    float *expected = allocate(count, sizeof *expected);
    for (size_t i = 0; i < count; i++)
        in[i] = (float)sample((unsigned)i);

    double start = seconds();
    transpose(rows, columns, in, out);
    double device = seconds() - start;
    start = seconds();
    transpose_on_host(rows, columns, in, expected);
    double host = seconds() - start;

    /* Values only move: the same bits. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", rows, columns);
    int status = report("transpose", sizes, "max relative error",
                        max_error_float(count, out, expected), 0.0, device, host);
    free(in);
    free(out);
    free(expected);
    return status;
}
