/* No pragma: loops over calls of functions that have loops themselves; in the host's version each is a nest of its
   own. */
#include "../nests/nest.h"

static unsigned dot(int n, const unsigned *a, const unsigned *b)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static void scale(int n, unsigned *a, unsigned by)
{
    a[0] += by;
    for (int i = 0; i < n; i++)
        a[i] *= by;
    a[0] += 1;
}

static void product(int n, const unsigned *a, const unsigned *x, unsigned *y)
{
    for (int i = 0; i < n; i++)
        y[i] = dot(n, a + i * n, x);
}

static void each(int n, unsigned *a, unsigned *x)
{
    for (int i = 0; i < n; i++) {
        scale(n, a + (i % 2) * n, x[i]);
        x[i] += a[i] + dot(n, a, x);
    }
}

static void run(int n)
{
    unsigned a[MOST * MOST + 2], x[MOST + 1], y[MOST + 1];
    fill(MOST * MOST + 2, a, 131);
    fill(MOST + 1, x, 132);
    fill(MOST + 1, y, 133);
    product(n, a, x, y);
    if (n > 1)
        each(n, a, x);
    product(n, a, y, x);
    printf("%u\n", dot(n, x, y));
    show("a", n, MOST * MOST + 2, a);
    show("x", n, MOST + 1, x);
    show("y", n, MOST + 1, y);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
