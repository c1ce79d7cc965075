/* y = alpha * x + y, with the compiler asked to find the parallelism.  Usage: saxpy [n] */
#include "check.h"
#include <float.h>

static void saxpy(int n, float alpha, const float *restrict x, float *restrict y)
{
    #pragma acc kernels copyin(x[0:n]) copy(y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = alpha * x[i] + y[i];
}

static void saxpy_on_host(int n, float alpha, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = alpha * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 100003);
    float *x = allocate(n, sizeof *x);
    float *y = allocate(n, sizeof *y);
    float *expected = allocate(n, sizeof *expected);
    for (int i = 0; i < n; i++) {
        x[i] = (float)sample(2 * i);
        y[i] = expected[i] = (float)sample(2 * i + 1);
    }

    double start = seconds();
    saxpy(n, 2.5f, x, y);
    double device = seconds() - start;
    start = seconds();
    saxpy_on_host(n, 2.5f, x, expected);
    double host = seconds() - start;

    /* A fused multiply-add rounds once, a product and a sum twice: half an epsilon each. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d", n);
    int status = report("saxpy", sizes, "max relative error", max_error_float(n, y, expected),
                        1.5 * FLT_EPSILON, device, host);
    free(x);
    free(y);
    free(expected);
    return status;
}
