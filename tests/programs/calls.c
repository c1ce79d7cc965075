/* Functions of the file called from regions: several returns, pointer parameters, macros,
   helpers that call helpers. */
#include <math.h>
#include <stdio.h>

#define N 150
#define SQUARE(x) ((x) * (x))

static int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

static inline void divide(int a, int b, int *quotient, int *remainder)
{
    *quotient = a / b;
    *remainder = a - *quotient * b;
}

static int digits(unsigned value)
{
    int count = 0;
    do {
        count++;
        value /= 10;
    } while (value != 0);
    return count;
}

static int weigh(const int *row, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += digits((unsigned)row[i]) * clamp(row[i], 3, 1 << 12);
    return sum;
}

int main(void)
{
    int table[N][4], clamped[N], packed[N], weighed[N];
    double exact[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 4; j++)
            table[i][j] = (int)((i * 1103515245u + j * 12345u) % 100003u);

    #pragma acc parallel loop copyin(table) copyout(clamped, packed, weighed, exact)
    for (int i = 0; i < N; i++) {
        int quotient, remainder;
        divide(table[i][0], table[i][1] % 97 + 1, &quotient, &remainder);
        packed[i] = quotient * 1000 + remainder;
        clamped[i] = clamp(table[i][2] - 50000, -SQUARE(100), SQUARE(100));
        weighed[i] = weigh(table[i], 4);
        /* Functions whose result is exact on every machine. */
        double x = (table[i][3] - 50000) / 64.0;
        exact[i] = floor(x) + ceil(x / 3 * 3) + fabs(x) + fmax(x, 1.0) - fmin(x, 2.0) +
                   sqrt((double)table[i][3]) + trunc(x) + round(x);
    }

    for (int i = 0; i < N; i++)
        printf("%d %d %d %a\n", packed[i], clamped[i], weighed[i], exact[i]);
    return 0;
}
