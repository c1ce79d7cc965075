/* Loops of `long` whose bounds lie at the ends of 64 bits: neither the threads behind the last iteration nor the parts
   of a launch come around. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3000 };

static int once[MOST], strided[MOST], together[MOST], expected[MOST];
static int wrong;

static void check(long from, long to, long step)
{
    if (memcmp(once, expected, sizeof once) || memcmp(strided, expected, sizeof once)
        || memcmp(together, expected, sizeof once)) {
        printf("wrong: from %ld to %ld by %ld\n", from, to, step);
        wrong++;
    }
}

static void below(long from, long to, long step)
{
    memset(once, 0, sizeof once);
    memset(strided, 0, sizeof once);
    memset(together, 0, sizeof once);
    memset(expected, 0, sizeof once);
    unsigned long distance = from < to ? (unsigned long)to - (unsigned long)from : 0;
    for (unsigned long k = 0; k * step < distance; k++)
        expected[k] = k * 3 + 1;
    #pragma acc parallel loop copy(once)
    for (long i = from; i < to; i += step)
        once[(i - from) / step] = (i - from) / step * 3 + 1;
    #pragma acc parallel loop copy(strided) num_gangs(7) vector_length(32)
    for (long i = from; i < to; i += step)
        strided[(i - from) / step] = (i - from) / step * 3 + 1;
    #pragma acc kernels loop independent copy(together)
    for (long i = from; i < to; i += step)
        together[(i - from) / step] = (i - from) / step * 3 + 1;
    check(from, to, step);
}

static void last(long from, long to)
{
    memset(once, 0, sizeof once);
    unsigned long count = (unsigned long)to - (unsigned long)from + 1;
    #pragma acc kernels copy(once)
    for (long i = from; i <= to; i++)
        once[i - from] = i & 15 | 16;
    for (unsigned long k = 0; k < MOST; k++)
        if (once[k] != (k < count ? (int)((from + (long)k) & 15 | 16) : 0)) {
            printf("wrong: from %ld to %ld\n", from, to);
            wrong++;
            return;
        }
}

int main(void)
{
    below(0, 1000, 1);
    below(5, 1000, 7);
    below(LONG_MAX - 1000, LONG_MAX, 1);
    below(LONG_MAX - 1000, LONG_MAX - 500, 1);
    below(LONG_MAX - 2990, LONG_MAX - 7, 7);
    below(LONG_MAX - 5, LONG_MIN + 7, 1);
    below(LONG_MAX, LONG_MIN, 1);
    below(LONG_MIN, LONG_MIN + 1000, 1);
    below(LONG_MIN, LONG_MIN, 1);
    below(0, 1L << 40, 1L << 33);
    below(LONG_MAX / 4, LONG_MAX / 2, 1L << 51);
    last(LONG_MAX - 1000, LONG_MAX - 1);
    last(LONG_MIN, LONG_MIN + 5);
    last(5, 4);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
