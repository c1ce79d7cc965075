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

/* Inner loops move what the outer one goes on with: round a `for`, a `do`, a `goto` and a `switch`. */
static void moved(int n, unsigned *p, const unsigned *d)
{
    for (int i = 0; i < n / 2; i++)
        for (int j = 0; j < i % 4; j++) {
            *p = j - d[j];
            p++;
        }
    *p += 3;
}

static void moved_again(int n, unsigned *p, unsigned *q, const unsigned *d)
{
    int i = 0, k = 0;
    do {
        for (int j = 0; j < 3; j++)
            *p++ = d[j] + i;
    } while (++i < n / 4);
again:
    for (int j = 0; j < 2; j++, k++)
        q[k] ^= d[j];
    if (--i > 0)
        goto again;
    for (i = 0; i < n / 4; i++)
        switch (i % 3) {
        case 0:
            for (int j = 0; j < 3; j++) {
                *q = d[j] * i;
                q++;
            }
            break;
        case 1:
            q++;
            break;
        default:
            for (int j = 0; j < 2; j++)
                q[k++] += j;
        }
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
    moved(n, a, b);
    moved_again(n, a, b, a + MOST);
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
