/* y = A * x for a sparse matrix in compressed rows (CSR): rows of uneven length, reads of x
   wherever the column numbers point.  Usage: spmv [rows] */
#include "check.h"
#include <float.h>

static void spmv(int rows, const int *restrict start, const int *restrict column,
                 const double *restrict value, const double *restrict x, double *restrict y)
{
    #pragma acc parallel loop copyin(start[0:rows+1], column[0:start[rows]]) \
                              copyin(value[0:start[rows]], x[0:rows]) copyout(y[0:rows])
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int e = start[i]; e < start[i + 1]; e++)
            sum += value[e] * x[column[e]];
        y[i] = sum;
    }
}

static void spmv_on_host(int rows, const int *start, const int *column, const double *value,
                         const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int e = start[i]; e < start[i + 1]; e++)
            sum += value[e] * x[column[e]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 10007);
    const int longest = 24;
    int *start = allocate((size_t)rows + 1, sizeof *start);
    for (int i = 0; i < rows; i++)
        start[i + 1] = start[i] + (int)(mixed_bits(i) % (longest + 1));
    int entries = start[rows];
    int *column = allocate(entries, sizeof *column);
    double *value = allocate(entries, sizeof *value);
    double *x = allocate(rows, sizeof *x);
    double *y = allocate(rows, sizeof *y);
    double *expected = allocate(rows, sizeof *expected);
    for (int e = 0; e < entries; e++) {
        column[e] = (int)(mixed_bits(2 * e) % (unsigned)rows);
        value[e] = sample(2 * e + 1);
    }
    for (int i = 0; i < rows; i++)
        x[i] = sample(i);

    double begin = seconds();
    spmv(rows, start, column, value, x, y);
    double device = seconds() - begin;
    begin = seconds();
    spmv_on_host(rows, start, column, value, x, expected);
    double host = seconds() - begin;

    /* Positive terms in the same order; each product may be fused into its sum. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d rows, %d entries", rows, entries);
    int status = report("spmv", sizes, "max relative error", max_error_double(rows, y, expected),
                        longest * DBL_EPSILON, device, host);
    free(start);
    free(column);
    free(value);
    free(x);
    free(y);
    free(expected);
    return status;
}
