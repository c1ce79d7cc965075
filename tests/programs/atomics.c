/* atomic update in its forms, on array elements and scalars of several types. */
#include <stdio.h>

#define N 1000
#define BINS 13

static int calls;

/* Called from a region, this is part of it. */
static void count(int *where, int key)
{
    #pragma acc atomic update
    where[key]++;
    #pragma acc atomic update
    calls++;
}

int main(void)
{
    int keys[N];
    for (int i = 0; i < N; i++)
        keys[i] = (i * 7919) % BINS;

    int counts[BINS] = {0};
    unsigned bits[BINS] = {0};
    long long sums[BINS] = {0};
    float floats[BINS] = {0};
    double doubles[BINS] = {0};
    int largest[2] = {0, 0};

    #pragma acc parallel loop copyin(keys) copy(counts, bits, sums, floats, doubles, largest)
    for (int i = 0; i < N; i++) {
        int key = keys[i];
        #pragma acc atomic update
        counts[key]++;
        #pragma acc atomic update
        bits[key] |= 1u << (i % 32);
        #pragma acc atomic update
        sums[key] += (long long)i * i;
        /* Small multiples of a power of two add up exactly, in any order. */
        #pragma acc atomic
        floats[key] += 0.25f * (float)(i % 8);
        #pragma acc atomic update
        doubles[key] = doubles[key] - 0.5 * i;
        #pragma acc atomic update
        largest[0] = largest[0] + 1;
    }

    for (int b = 0; b < BINS; b++)
        printf("%d %08x %lld %g %g\n", counts[b], bits[b], sums[b], floats[b], doubles[b]);
    printf("%d\n", largest[0]);

    #pragma acc parallel loop copyin(keys) copy(counts, calls)
    for (int i = 0; i < N; i++)
        count(counts, keys[i]);
    count(counts, 3);
    printf("%d %d %d\n", counts[3], counts[12], calls);
    return 0;
}
