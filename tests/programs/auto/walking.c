/* No pragma: pointers that walk and change places, loops downwards and in steps, further counters. */
#include "../nests/nest.h"

static void steps(int n, unsigned *a, unsigned *b)
{
    for (int t = 0; t < 5; t++) {
        for (int i = 1; i + 1 < n; i++)
            b[i] = a[i - 1] ^ a[i + 1];
        unsigned *swap = a;
        a = b;
        b = swap;
    }
    a[0] += 17;
}

static void run(int n)
{
    unsigned a[2 * MOST + 2], b[2 * MOST + 2];
    fill(2 * MOST + 2, a, 121);
    fill(2 * MOST + 2, b, 122);
    steps(n, a, b);
    for (unsigned *p = a, *q = b + n; p < a + n; p++)
        *p += *q++;
    for (int i = n; i-- > 0;)
        b[i] = a[n - 1 - i] * 3;
    int k = 0;
    for (int i = 0; i < n; i++, k += 2)
        b[k] += a[i];
    for (int i = n - 1; i >= 0; i -= 3)
        a[i] ^= 0x55u;
    for (int block = 0; block < n; block += 8)
        for (int i = block; i < (block + 8 < n ? block + 8 : n); i++)
            a[i] += (unsigned)block;
    printf("%d\n", k);
    show("a", n, 2 * MOST + 2, a);
    show("b", n, 2 * MOST + 2, b);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
