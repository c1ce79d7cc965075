/* No pragma: what loops touch is as long as it has to be, and not an element longer. */
#include <stdlib.h>

#include "../nests/nest.h"

/* Elements between two guards that are as near as can be. */
static unsigned *between(int count)
{
    unsigned *p = malloc((size_t)(count + 2) * sizeof *p);
    fill(count + 2, p, (unsigned)count);
    return p + 1;
}

static void done(const char *name, int n, unsigned *p, int count)
{
    show(name, n, count + 2, p - 1);
    free(p - 1);
}

static void run(int n)
{
    /* Only the elements that the condition lets through are there. */
    unsigned *flag = between(n), *some = between(n / 2), *upper = between(n * (n + 1) / 2 + 1);
    for (int i = 0; i < n; i++)
        flag[i] = i < n / 2 ? 3u : 0u;
    for (int i = 0; i < n; i++)
        if (flag[i] > 2)
            some[i] += flag[i];
    unsigned *same = between(n / 2);
    for (int i = 0; i < n; i++)
        if (flag[i] == 3)
            same[i] ^= flag[i] + (unsigned)i;
    /* In steps, the last one ahead of the end. */
    unsigned *odd = between(n % 2 ? n : (n > 0 ? n - 1 : 0));
    for (int i = 0; i < n; i += 2)
        odd[i] *= 3;
    /* A triangle, packed; and the upper left of a square. */
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            upper[i * (i + 1) / 2 + j] += (unsigned)(i - j);
    unsigned *corner = between(n > 0 ? (n - 1) * n + 1 : 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++)
            corner[i * n + j] ^= (unsigned)(i + j);
    unsigned *lower = between(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            lower[i * n + j] += 2;
    for (int i = 1; i < n; i++)
        if (i < n - 1 && i != 2)
            flag[i] += flag[i - 1] * 2;
    done("flag", n, flag, n);
    done("some", n, some, n / 2);
    done("same", n, same, n / 2);
    done("odd", n, odd, n % 2 ? n : (n > 0 ? n - 1 : 0));
    done("upper", n, upper, n * (n + 1) / 2 + 1);
    done("corner", n, corner, n > 0 ? (n - 1) * n + 1 : 0);
    done("lower", n, lower, n * n);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
