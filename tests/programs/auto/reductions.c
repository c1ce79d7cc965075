/* No pragma: sums, products, extremes and counts, into locals, globals and elements. */
#include "../nests/nest.h"

unsigned total;
static unsigned least;

static unsigned sum(int n, const unsigned *a)
{
    unsigned s = 1;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static void run(int n)
{
    unsigned a[MOST + 1], b[MOST + 1];
    fill(MOST + 1, a, 21);
    fill(MOST + 1, b, 22);
    unsigned product = 1, most = 0, bits = 0, even = 0;
    for (int i = 0; i < n; i++)
        product *= a[i] | 1u;
    for (int i = 0; i < n; i++)
        most = a[i] > most ? a[i] : most;
    for (int i = 0; i < n; i++)
        bits ^= a[i];
    for (int i = 0; i < n; i++)
        if (a[i] % 2 == 0)
            even++;
    least = 5000;
    for (int i = 0; i < n; i++)
        if (a[i] < least)
            least = a[i];
    for (int i = 0; i < n; i++)
        total += a[i];
    for (int i = 0; i < n; i++)
        b[0] += a[i] * 3;
    int at = -1;
    for (int i = 0; i < n; i++)
        if (a[i] == most)
            at = i;
    printf("%d: %u %u %u %u %u %u %u %d %u\n", n, product, most, bits, even, least, total, b[0], at,
           sum(n, a));
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
