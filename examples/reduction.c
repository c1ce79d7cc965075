/* Reductions of several operators and types over long vectors.  Usage: reduction [n] */
#include "check.h"
#include <float.h>

static double sum_double(int n, const double *x)
{
    double sum = 0.0;
    #pragma acc parallel loop copyin(x[0:n]) reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static float dot_float(int n, const float *x, const float *y)
{
    float dot = 0.0f;
    #pragma acc parallel loop copyin(x[0:n], y[0:n]) reduction(+:dot)
    for (int i = 0; i < n; i++)
        dot += x[i] * y[i];
    return dot;
}

static long sum_int(int n, const int *x)
{
    long sum = 0;
    #pragma acc parallel loop copyin(x[0:n]) reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double product_double(int n, const double *x)
{
    double product = 1.0;
    #pragma acc parallel loop copyin(x[0:n]) reduction(*:product)
    for (int i = 0; i < n; i++)
        product *= 1.0 + (x[i] - 0.5) / 1024.0;
    return product;
}

static void range_float(int n, const float *x, float *smallest, float *largest)
{
    float low = FLT_MAX, high = -FLT_MAX;
    #pragma acc parallel loop copyin(x[0:n]) reduction(min:low) reduction(max:high)
    for (int i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        if (x[i] > high)
            high = x[i];
    }
    *smallest = low;
    *largest = high;
}

static int max_int(int n, const int *x)
{
    int largest = INT_MIN;
    #pragma acc parallel loop copyin(x[0:n]) reduction(max:largest)
    for (int i = 0; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 100003);
    double *d = allocate(n, sizeof *d);
    float *f = allocate(n, sizeof *f);
    float *g = allocate(n, sizeof *g);
    int *s = allocate(n, sizeof *s);
    for (int i = 0; i < n; i++) {
        d[i] = sample(4 * i);
        f[i] = (float)sample(4 * i + 1);
        g[i] = (float)sample(4 * i + 2);
        s[i] = (int)(mixed_bits(4 * i + 3) >> 1) - (1 << 30);
    }
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d", n);
    int status = 0;

    /* A sum of n positive terms in any order is within n/2 epsilons of the exact one. */
    double start = seconds(), sum = sum_double(n, d), device = seconds() - start;
    double expected = 0.0;
    start = seconds();
    for (int i = 0; i < n; i++)
        expected += d[i];
    double host = seconds() - start;
    status |= report("reduction sum double", sizes, "relative error", relative_error(sum, expected),
                     n * DBL_EPSILON, device, host);

    /* In float that bound would hide a lost element. Against a sum in double, roundings of
       either sign add up like a random walk: sqrt(n) epsilons are more than five deviations.
       (One running sum of ten million terms is worse: its last terms are all rounded alike.) */
    start = seconds();
    double dot = dot_float(n, f, g);
    device = seconds() - start;
    expected = 0.0;
    start = seconds();
    for (int i = 0; i < n; i++)
        expected += (double)f[i] * g[i];
    host = seconds() - start;
    status |= report("reduction dot float", sizes, "relative error", relative_error(dot, expected),
                     sqrt((double)n) * FLT_EPSILON, device, host);

    start = seconds();
    long whole = sum_int(n, s);
    device = seconds() - start;
    long expected_whole = 0;
    start = seconds();
    for (int i = 0; i < n; i++)
        expected_whole += s[i];
    host = seconds() - start;
    status |= report("reduction sum long", sizes, "difference",
                     fabs((double)(whole - expected_whole)), 0.0, device, host);

    /* Two roundings in each factor and one in each product. */
    start = seconds();
    double product = product_double(n, d);
    device = seconds() - start;
    expected = 1.0;
    start = seconds();
    for (int i = 0; i < n; i++)
        expected *= 1.0 + (d[i] - 0.5) / 1024.0;
    host = seconds() - start;
    status |= report("reduction product double", sizes, "relative error",
                     relative_error(product, expected), 2 * n * DBL_EPSILON, device, host);

    /* Minima and maxima do not depend on their order. */
    float low, high, expected_low = FLT_MAX, expected_high = -FLT_MAX;
    start = seconds();
    range_float(n, f, &low, &high);
    device = seconds() - start;
    start = seconds();
    for (int i = 0; i < n; i++) {
        expected_low = fminf(expected_low, f[i]);
        expected_high = fmaxf(expected_high, f[i]);
    }
    host = seconds() - start;
    status |= report("reduction min and max float", sizes, "max relative error",
                     fmax(relative_error(low, expected_low), relative_error(high, expected_high)),
                     0.0, device, host);

    start = seconds();
    int largest = max_int(n, s);
    device = seconds() - start;
    int expected_largest = INT_MIN;
    start = seconds();
    for (int i = 0; i < n; i++)
        expected_largest = s[i] > expected_largest ? s[i] : expected_largest;
    host = seconds() - start;
    status |= report("reduction max int", sizes, "difference",
                     fabs((double)largest - expected_largest), 0.0, device, host);

    free(d);
    free(f);
    free(g);
    free(s);
    return status;
}
