/* Unsigned subscripts that conditions keep from wrapping, of pointers in no clause. */
#include "nest.h"

static void before(unsigned n, unsigned *restrict a, const unsigned *restrict b)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        if (i > 0)
            a[i - 1] = b[i];
}

static void behind(unsigned n, unsigned m, unsigned *restrict a, const unsigned *restrict b)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        if (i >= m)
            a[i - m] += b[i];
}

static void signs(unsigned n, unsigned *restrict a, const unsigned *restrict b)
{
    #pragma acc kernels
    for (unsigned i = 0; i < n; i++)
        a[(int)(i - 1)] ^= b[i];
}

int main(void)
{
    EACH_SIZE(n) {
        unsigned a[MOST + 2], b[MOST + 2];
        fill(MOST + 2, a, 3);
        fill(MOST + 2, b, 4);
        before(n, a + 1, b);
        behind(n, n / 3, a + 1, b);
        signs(n, a + 1, b);
        show("a", n, MOST + 2, a);
    }
    return 0;
}
