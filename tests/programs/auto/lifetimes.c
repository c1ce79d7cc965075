/* No pragma: arrays of blocks, of calls and of variable length, whose memory is something else's afterwards. */
#include "../nests/nest.h"

static unsigned use(int n, unsigned *a)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 3 + 1;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static unsigned inner(int n, int depth)
{
    unsigned own[MOST + 1];
    for (int i = 0; i <= n; i++)
        own[i] = (unsigned)(i + depth);
    unsigned s = depth > 0 ? inner(n, depth - 1) : 0;
    s += use(n, own);
    return s + own[n / 2];
}

static unsigned variable(int n)
{
    unsigned s = 0;
    for (int round = 1; round < 4; round++) {
        unsigned v[n * round + 1];
        for (int i = 0; i <= n * round; i++)
            v[i] = (unsigned)(i * round);
        if (round == 2) {
            unsigned block[16];
            for (int i = 0; i < 16; i++)
                block[i] = v[n] + (unsigned)i;
            s += use(16, block);
            if (s % 2)
                continue;
        }
        s += use(n, v);
        if (s % 5 == 4)
            break;
    }
    return s;
}

static unsigned overwrite(int n)
{
    unsigned other[MOST + 30];
    unsigned s = 1;
    for (int i = 0; i < MOST + 30; i++) {
        other[i] = s;
        s = s * 7 + (unsigned)n;
    }
    s = 0;
    for (int i = 0; i < MOST + 30; i++)
        s = s * 31 + other[i];
    return s;
}

static void run(int n)
{
    unsigned number = 5, *p = &number;
    for (int i = 0; i < 1; i++)
        p[i] += (unsigned)n;
    printf("%d: %u %u", n, inner(n, 3), overwrite(n));
    printf(" %u %u %u\n", variable(n), overwrite(n), number);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
