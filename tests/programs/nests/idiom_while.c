/* Loops that count without saying so. */
#include <stddef.h>
#include <stdio.h>
#define CHECK(name)                                                                                          \
    do {                                                                                                     \
        unsigned s = 0;                                                                                      \
        for (int z = 0; z < 300; z++)                                                                        \
            s = s * 31u + (unsigned)y[z];                                                                    \
        printf("%s %d %u\n", name, n, s);                                                                    \
        for (int z = 0; z < 300; z++)                                                                        \
            y[z] = -z;                                                                                       \
    } while (0)
static int x[300], y[300];
int main(void)
{
    for (int i = 0; i < 300; i++) {
        x[i] = i * 7 % 23;
        y[i] = -i;
    }
    int sizes[] = {0, 1, 2, 31, 128, 257};
    for (int t = 0; t < 6; t++) {
        int n = sizes[t];
        unsigned un = n;
        size_t sn = n;
        long ln = n;
        short hn = n;
        int i;
#pragma acc kernels copy(x, y)
        {
            i = 0;
            while (i < n) {
                y[i] = 2 * x[i] + i;
                i++;
            }
        }
        CHECK("while");
        printf("%d\n", i);
#pragma acc kernels copy(x, y)
        for (int i = n; i-- > 0;)
            y[i] = 3 * x[i];
        CHECK("down");
#pragma acc kernels copy(x, y)
        {
            unsigned i = un;
            while (i--)
                y[i] = 4 * x[i];
        }
        CHECK("unsigned down");
#pragma acc kernels copy(x, y)
        {
            size_t i = 0;
            for (; i < sn;) {
                y[i] = 5 * x[i];
                i++;
            }
        }
        CHECK("size_t");
#pragma acc kernels copy(x, y)
        {
            size_t i = 0;
            for (; i != sn; ++i)
                y[i] = 6 * x[i];
        }
        CHECK("size_t ne");
#pragma acc kernels copy(x, y)
        {
            int i = 3;
            while (i <= n) {
                y[i] = 7 * x[i];
                i += 3;
            }
        }
        CHECK("by 3");
#pragma acc kernels copy(x, y)
        {
            int i = n - 1;
            while (i >= 0) {
                y[i] = 8 * x[i];
                i -= 4;
            }
        }
        CHECK("by -4");
#pragma acc kernels copy(x, y)
        {
            int *p = x, *q = y;
            int k = n;
            while (k--)
                *q++ = 9 * *p++;
        }
        CHECK("pointers");
#pragma acc kernels copy(x, y)
        {
            int k = 0, s = 0;
            while (k < n) {
                s += x[k];
                if (x[k] > 5)
                    s += 1;
                k++;
            }
            y[0] = s;
            y[1] = k;
        }
        CHECK("sum");
#pragma acc kernels copy(x, y)
        {
            long i = ln;
            do {
                i--;
                if (i >= 0)
                    y[i] = 10 * x[i];
            } while (i > 0);
        }
        CHECK("do");
#pragma acc kernels copy(x, y)
        {
            int i = -1;
            while (++i < n)
                y[i] = 11 * x[i];
        }
        CHECK("pre");
#pragma acc kernels copy(x, y)
        {
            short i = 0;
            while (i < hn) {
                y[i] = 12 * x[i];
                i++;
            }
        }
        CHECK("short");
#pragma acc kernels copy(x, y)
        {
            unsigned char c = 0;
            while (c < 200) {
                y[c] = 13 * x[c];
                c++;
            }
        }
        CHECK("uchar");
#pragma acc kernels copy(x, y)
        {
            unsigned i = 5;
            while (i > 0 && i < un) {
                y[i] = 14 * x[i];
                i++;
            }
        }
        CHECK("and");
#pragma acc parallel loop copy(x, y)
        for (int r = 0; r < n; r++) {
            int d = 0, s = 0;
            while (d < r) {
                s += x[d];
                d += 2;
            }
            y[r] = s + d;
        }
        CHECK("inner");
#pragma acc kernels copy(x, y)
        {
            int lo = 0, hi = n - 1;
            while (lo < hi) {
                int t = x[lo];
                y[lo] = x[hi];
                y[hi] = t;
                lo++;
                hi--;
            }
        }
        CHECK("two");
#pragma acc kernels copy(x, y)
        {
            int s = 1;
            while (s < n) {
                y[s] = x[s] + s;
                s *= 2;
            }
        }
        CHECK("times");
    }
    return 0;
}
