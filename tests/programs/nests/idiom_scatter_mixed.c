/* Elements whose numbers come out of memory, updated in two ways by one loop: sums and products of one element, or bits that are
 * set and cleared, do not change places. Sums and differences do. */
#include <stdio.h>

enum { MOST = 512, BINS = 8 };
static int which[MOST], other[MOST];
static unsigned h[BINS], g[BINS], bits[BINS];

int main(void)
{
    const int sizes[] = {0, 1, 97, 512};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        for (int i = 0; i < MOST; i++) {
            which[i] = i * 31 % BINS;
            other[i] = i * i % 7 % BINS;
        }
        for (int b = 0; b < BINS; b++)
            h[b] = g[b] = bits[b] = (unsigned)b;
        #pragma acc kernels
        for (int i = 0; i < n; i++) {
            h[which[i]] += (unsigned)i;
            h[other[i]] *= 3;
        }
        #pragma acc kernels
        for (int i = 0; i < n; i++) {
            bits[which[i]] |= 1u << i % 32;
            bits[other[i]] &= ~(1u << (i + 3) % 32);
        }
        #pragma acc kernels
        for (int i = 0; i < n; i++) {
            g[which[i]] += 5u * (unsigned)i;
            g[other[i]] -= 3;
        }
        for (int b = 0; b < BINS; b++)
            printf("%d %d: %u %u %u\n", n, b, h[b], g[b], bits[b]);
    }
    return 0;
}
