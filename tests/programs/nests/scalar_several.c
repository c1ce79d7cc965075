/* Sums to which an iteration adds in several places, under conditions and not; and what only looks like one.
 */
#include <stdio.h>
static int x[5000];
static float f[5000];
int main(void)
{
    for (int i = 0; i < 5000; i++) {
        x[i] = i * 7919 % 23;
        f[i] = (i * 31 % 17) * 0.5f;
    }
    int ns[] = {0, 1, 2, 31, 128, 129, 5000};
    for (int t = 0; t < 7; t++) {
        int n = ns[t];
        int s = 3, c = 0, m = -5;
        long q = 1;
        unsigned h = 0;
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            s += x[i];
            if (x[i] > 5)
                s += 1;
        }
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            if (x[i] & 1)
                c += 2;
            else
                c -= x[i];
            if (x[i] > 9)
                c += x[i] * 3;
            if (f[i] > 2)
                c -= 1;
        }
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            if (x[i] > m)
                m = x[i];
            if (f[i] > m)
                m = (int)f[i];
        }
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            q += x[i];
            if (q > 50)
                q -= 7;
        }
#pragma acc kernels
        for (int i = 0; i < n; i++) {
            h ^= x[i] * 31u;
            if (x[i] == 3)
                h ^= 77u;
            else if (x[i] == 4)
                h ^= 5u;
        }
        printf("%d: %d %d %d %ld %u\n", n, s, c, m, q, h);
    }
    return 0;
}
