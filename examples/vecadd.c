/* c = a + b: one loop, one directive.  Usage: vecadd [n] */
#include "check.h"

static void add(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    #pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void add_on_host(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 100003);
    float *a = allocate(n, sizeof *a);
    float *b = allocate(n, sizeof *b);
    float *c = allocate(n, sizeof *c);
    float *expected = allocate(n, sizeof *expected);
    for (int i = 0; i < n; i++) {
        a[i] = (float)sample(2 * i);
        b[i] = (float)sample(2 * i + 1);
    }

    double start = seconds();
    add(n, a, b, c);
    double device = seconds() - start;
    start = seconds();
    add_on_host(n, a, b, expected);
    double host = seconds() - start;

    /* One addition, correctly rounded everywhere: the results are the same bits. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d", n);
    int status = report("vecadd", sizes, "max relative error", max_error_float(n, c, expected),
                        0.0, device, host);
    free(a);
    free(b);
    free(c);
    free(expected);
    return status;
}
