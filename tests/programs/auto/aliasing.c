/* No pragma: pointers that mean one array, parts of it that overlap, and the bound of the loop itself. */
#include "../nests/nest.h"

static void shift(int n, unsigned *to, const unsigned *from)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}

static void twice(int n, unsigned *a, unsigned *b)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2;
}

static int bound;

/* One of the elements may be the bound. */
static void count_down(int *a, const int *limit)
{
    for (int i = 0; i < *limit; i++)
        a[i] = 3;
    for (int i = 0; i < bound; i++)
        a[i] -= 1;
}

static void run(int n)
{
    unsigned a[2 * MOST + 4];
    fill(2 * MOST + 4, a, 31);
    shift(n, a, a + MOST);
    shift(n, a + 1, a);
    shift(n, a, a + 1);
    shift(n, a + MOST / 2, a);
    twice(n, a, a);
    twice(n, a, a + n / 2);
    twice(n, a + n, a);
    show("a", n, 2 * MOST + 4, a);
    int cells[MOST + 4] = {0};
    cells[1] = n;
    bound = n;
    count_down(cells, &cells[1]);
    printf("%d %d %d\n", cells[0], cells[1], cells[n / 2]);
    bound = n > 0;
    count_down(&bound, &cells[MOST + 3]);
    printf("%d\n", bound);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
