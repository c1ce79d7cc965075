/* Variables of narrow and unsigned types that pass the end of their type, and come around, before they meet their bound. */
#include <stdio.h>

#define N 256

static void constant(int *restrict a)
{
    #pragma acc kernels copy(a[0:N])
    {
        for (unsigned char i = 10; i < 250; i += 100)
            a[i] += i;
        for (unsigned char i = 250; i > 10; i -= 100)
            a[i] += 3 * i;
        for (signed char i = 0; i < 120; i += 50)
            a[i + 128] += 5;
        for (unsigned short i = 65000; i >= 100; i += 200)
            a[i % N] += 7;
        for (unsigned char i = 0; i < 250; i += 50)
            a[i] += 11;
    }
}

static void open(int *restrict a, int bound, int step)
{
    #pragma acc kernels copy(a[0:N])
    {
        for (unsigned char i = 1; i < bound; i += step)
            a[i] += i;
        for (unsigned short i = 0; i < bound; i += 3)
            a[i] += 2;
        for (short i = bound; i > 0; i -= step)
            a[i] += 13;
    }
}

/* `!=` stops at its bound wherever they start; a narrow variable is counted in `int`, and comes around to it. */
static void met(int *restrict a, int bound)
{
    unsigned char byte = bound;
    signed char small = bound / 4 - 30;
    #pragma acc kernels copy(a[0:N])
    {
        for (unsigned char i = 250; i != byte; i++)
            a[i] += i;
        for (unsigned char i = 5; i != byte; i--)
            a[i] += 3;
        for (signed char i = 0; i != small; i++)
            a[i + 128] += 7;
        for (unsigned short i = 65500; i != byte; i++)
            a[i % N] += 11;
        for (unsigned char i = 0; i != byte; i++)
            a[i] ^= 64;
        for (int i = 0; i != bound; i++)
            a[i] += 17;
    }
}

int main(void)
{
    static const int bounds[] = {0, 1, 7, 200, 255};
    int a[N] = {0};
    constant(a);
    for (int k = 0; k < 5; k++)
        for (int step = 1; step < 90; step += 10)
            open(a, bounds[k], step);
    for (int k = 0; k < 5; k++)
        met(a, bounds[k]);
    for (int i = 0; i < N; i++)
        printf("%d%c", a[i], i % 16 == 15 ? '\n' : ' ');
    return 0;
}
