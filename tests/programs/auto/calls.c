/* No pragma: functions with nests that call each other, functions that look in between, and callers that know of
   nothing. */
#include "../nests/nest.h"

static unsigned at(const unsigned *a, int i)
{
    return a[i];
}

static void set(unsigned *a, int i, unsigned x)
{
    a[i] = x;
}

static void double_all(int n, unsigned *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}

/* Whoever calls it from elsewhere must find everything. */
void triple_all(int n, unsigned *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 3;
}

static unsigned through(void (*f)(int, unsigned *), int n, unsigned *a)
{
    f(n, a);
    return a[n / 2];
}

static unsigned halves(int n, unsigned *a)
{
    for (int i = 0; i < n; i++)
        a[i] += (unsigned)n;
    if (n < 4)
        return a[0];
    unsigned left = halves(n / 2, a);
    unsigned right = halves(n - n / 2, a + n / 2);
    return left + right;
}

static unsigned square(unsigned x)
{
    return x * x + 1;
}

static void run(int n)
{
    unsigned a[MOST + 1];
    fill(MOST + 1, a, 51);
    double_all(n, a);
    unsigned s = at(a, n / 2);
    double_all(n, a);
    set(a, n / 3, 7);
    double_all(n, a);
    s += at(a, n / 3) + at(a, 0);
    for (int i = 0; i < n; i++)
        a[i] = square(a[i]);
    s += through(triple_all, n, a) + through(double_all, n, a);
    s += halves(n, a) * 5 + a[n / 2];
    printf("%u\n", s);
    show("a", n, MOST + 1, a);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
