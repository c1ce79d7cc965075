/* What the examples share: arguments, deterministic input, a clock, comparison and the report. */
#ifndef GPUC_EXAMPLES_CHECK_H
#define GPUC_EXAMPLES_CHECK_H

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

/* Argument `index` as a size, or `fallback` where it is not given. */
static inline int size_argument(int argc, char **argv, int index, int fallback)
{
    if (index >= argc)
        return fallback;
    char *end;
    long value = strtol(argv[index], &end, 10);
    if (end == argv[index] || *end != '\0' || value < 0 || value > INT_MAX) {
        fprintf(stderr, "%s: argument %d: '%s' is not a size from 0 to %d\n", argv[0], index,
                argv[index], INT_MAX);
        exit(2);
    }
    return (int)value;
}

/* `count` zeroed elements of `size` bytes; never NULL, so that 0 elements are no special case. */
static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu elements of %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

/* The same 32 well-mixed bits for the same index on every machine (a multiplicative hash). */
static inline unsigned mixed_bits(unsigned index)
{
    unsigned bits = index + 0x9e3779b9u;
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
    bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
    return bits ^ (bits >> 16);
}

/* A value in (0, 1), a multiple of 2^-25, thus exact in float and in double. Positive, so that
   sums of products do not cancel and a relative error says something. */
static inline double sample(unsigned index)
{
    return ((double)(mixed_bits(index) >> 8) + 0.5) / 16777216.0;
}

static inline double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

/* |got - want| / |want|; infinite where one of them is no number. */
static inline double relative_error(double got, double want)
{
    if (got == want)
        return 0.0;
    double error = fabs(got - want) / fabs(want);
    return isnan(error) ? INFINITY : error;
}

static inline double max_error_float(size_t n, const float *got, const float *want)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, relative_error(got[i], want[i]));
    return worst;
}

static inline double max_error_double(size_t n, const double *got, const double *want)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, relative_error(got[i], want[i]));
    return worst;
}

/* Prints the one line of a result, `name: sizes verified (...)`, and gives main's status.
   `device` and `host` are seconds; the device's include the transfers. */
static inline int report(const char *name, const char *sizes, const char *measure, double error,
                         double tolerance, double device, double host)
{
    int right = error <= tolerance;
    printf("%s: %s %s (%s %.1e %s %.1e), device %.6f s, host %.6f s\n", name, sizes,
           right ? "verified" : "WRONG", measure, error, right ? "<=" : ">", tolerance, device,
           host);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
