/* How often each byte value occurs: many threads update the same counters, by atomics.
   Usage: histogram [n] */
#include "check.h"

#define BINS 256

static void count(int n, const unsigned char *restrict data, int *restrict bins)
{
    #pragma acc parallel loop copyin(data[0:n]) copy(bins[0:BINS])
    for (int i = 0; i < n; i++) {
        #pragma acc atomic update
        bins[data[i]]++;
    }
}

static void count_on_host(int n, const unsigned char *data, int *bins)
{
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 100003);
    unsigned char *data = allocate(n, sizeof *data);
    int bins[BINS] = {0}, expected[BINS] = {0};
    /* Unevenly spread: the product of two bytes, so that low bins are crowded. */
    for (int i = 0; i < n; i++)
        data[i] = (unsigned char)((mixed_bits(i) & 255) * (mixed_bits(i) >> 24) >> 8);

    double start = seconds();
    count(n, data, bins);
    double device = seconds() - start;
    start = seconds();
    count_on_host(n, data, expected);
    double host = seconds() - start;

    /* Counting is exact. */
    double error = 0.0;
    for (int i = 0; i < BINS; i++)
        error = fmax(error, fabs((double)bins[i] - expected[i]));
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d", n);
    int status = report("histogram", sizes, "max difference", error, 0.0, device, host);
    free(data);
    return status;
}
