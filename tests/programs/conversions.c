/* C's integer and floating types and their conversions, computed in a region. */
#include <stdint.h>
#include <stdio.h>

#define N 64

int main(void)
{
    long long seeds[N];
    for (int i = 0; i < N; i++)
        seeds[i] = (long long)((unsigned long long)i * 0x9e3779b97f4a7c15ull);

    signed char c[N];
    unsigned char uc[N];
    short s[N];
    unsigned short us[N];
    int n[N], shifted[N], compared[N], divided[N];
    unsigned u[N], wrapped[N];
    long long product[N];
    uint64_t high[N];
    float f[N];
    double d[N];
    int truncated[N];
    _Bool truth[N];

    #pragma acc parallel loop copyin(seeds) copyout(c, uc, s, us, n, u, shifted, compared, divided)
    for (int i = 0; i < N; i++) {
        long long x = seeds[i];
        c[i] = (signed char)x;
        uc[i] = (unsigned char)(x >> 3);
        s[i] = (short)(x >> 5);
        us[i] = (unsigned short)x;
        n[i] = (int)(x >> 13);
        u[i] = (unsigned)(x >> 7);
        /* Promotion: the operands are int, the sum does not wrap at 8 bits. */
        shifted[i] = c[i] * 2 + (uc[i] >> 1) + (s[i] >> 2);
        /* -1 < 1u is false: the signed side is converted. */
        compared[i] = ((int)c[i] < (unsigned)uc[i]) + 2 * (c[i] < uc[i]) + 4 * (s[i] < us[i]);
        divided[i] = n[i] / (c[i] | 1) + n[i] % (c[i] | 1) + (int)(u[i] / (uc[i] + 1u));
    }
    #pragma acc parallel loop copyin(seeds) \
        copyout(wrapped, product, high, f, d, truncated, truth)
    for (int i = 0; i < N; i++) {
        long long x = seeds[i];
        wrapped[i] = (unsigned)x * 2654435761u;
        product[i] = (long long)(int)x * (int)(x >> 32);
        high[i] = (uint64_t)x >> (i % 64);
        f[i] = (float)(x >> 20) * 0.5f;
        d[i] = (double)x + (float)i / 3;
        truncated[i] = (int)((double)(x >> 33) / 7.0);
        truth[i] = x & 8;
    }

    for (int i = 0; i < N; i++) {
        printf("%d %d %d %d %d %u %d %d %d ", c[i], uc[i], s[i], us[i], n[i], u[i], shifted[i],
               compared[i], divided[i]);
        printf("%u %lld %llu %a %a %d %d\n", wrapped[i], product[i], (unsigned long long)high[i],
               f[i], d[i], truncated[i], truth[i]);
    }
    return 0;
}
