/* LU factorisation of a diagonally dominant matrix, without pivoting: each step scales a column and
   updates what is left to the right of it and below, in a grid that gets smaller.  Usage: lu [n] */
#include "check.h"
#include <string.h>

static void lu(int n, double a[n][n])
{
    #pragma acc kernels copy(a[0:n])
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

static void lu_on_host(int n, double a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 131);
    size_t count = (size_t)n * n;
    double *a = allocate(count, sizeof *a);
    double *expected = allocate(count, sizeof *expected);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[(size_t)i * n + j] = i == j ? n : sample((unsigned)(i * n + j));
    memcpy(expected, a, count * sizeof *a);

    double start = seconds();
    lu(n, (void *)a);
    double device = seconds() - start;
    start = seconds();
    lu_on_host(n, (void *)expected);
    double host = seconds() - start;

    /* Fused multiplications round less; of a dominant diagonal no element grows, so that each differs by a few
       roundings for every step that changed it. */
    double error = 0;
    for (size_t i = 0; i < count; i++)
        error = fmax(error, fabs(a[i] - expected[i]));
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", n, n);
    int status = report("lu", sizes, "max error", error, 1e-15 * (n + 1.0) * (n + 1.0), device, host);
    free(a);
    free(expected);
    return status;
}
