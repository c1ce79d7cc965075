/* No pragma: memory that is allocated, grown, copied and given back between nests; addresses come again. */
#include <stdlib.h>
#include <string.h>

#include "../nests/nest.h"

static unsigned *make(int n, unsigned start)
{
    unsigned *p = malloc((size_t)(n + 1) * sizeof *p);
    for (int i = 0; i <= n; i++)
        p[i] = start + (unsigned)i;
    return p;
}

static void run(int n)
{
    unsigned sum = 0;
    for (int round = 0; round < 3; round++) {
        unsigned *a = make(n, (unsigned)round);
        unsigned *b = make(n, 100);
        for (int i = 0; i < n; i++)
            a[i] += b[i] * 2;
        memcpy(b, a, (size_t)n * sizeof *b);
        for (int i = 0; i < n; i++)
            b[i] += a[i];
        a = realloc(a, (size_t)(2 * n + 2) * sizeof *a);
        for (int i = 0; i < n; i++)
            a[n + i] = b[i] + a[i];
        memset(b, 0, sizeof *b);
        for (int i = 0; i < n; i++)
            b[i] ^= a[i];
        for (int i = 0; i < 2 * n; i++)
            sum = sum * 31 + a[i];
        for (int i = 0; i < n; i++)
            sum = sum * 31 + b[i];
        free(a);
        free(b);
    }
    printf("%d: %u\n", n, sum);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
