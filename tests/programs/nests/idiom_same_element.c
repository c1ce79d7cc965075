// An element that every iteration of a loop overwrites, in rows that the program writes out: its subscript is no sum of
// loop variables and numbers, and the last iteration's value is there behind the loop.
#include "nest.h"

static void last(int i, int j, int low, int w, const unsigned *restrict a, unsigned *restrict c)
{
    #pragma acc kernels
    for (int k = i - 1; k >= (i > 2 ? low : 0); k--)
        c[(i - j + 30) * w + 2 * j] = a[(k + 1) * w + k];
}

static void rows(int n, int i, int w, const unsigned *restrict a, unsigned *restrict c)
{
    #pragma acc kernels copyin(a[0:w * w]) copy(c[0:w * w])
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < 8; j++)
            c[i * w + j] = a[k * w + j] + j;
        for (int j = 0; j < 8; j++)
            c[i * w + j] += a[j * w + k];
    }
}

enum { W = 64 };

static unsigned a[W * W], c[W * W];

int main(void)
{
    fill(W * W, a, 1);
    fill(W * W, c, 2);
    EACH_SIZE(n) {
        int i = n < 20 ? n : 20;
        last(i, i / 2, i / 3, W, a, c);
        show("last", i, W * W, c);
        rows(i, 20 - i, W, a, c);
        show("rows", i, W * W, c);
    }
    return 0;
}
