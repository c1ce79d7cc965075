/* No pragma: arrays of structures, arrays in structures, pointers in structures, and copies of all of them. */
#include "../nests/nest.h"

struct particle {
    unsigned x, v;
    unsigned short kind;
};

struct grid {
    int n;
    unsigned *cells;
    unsigned border[4];
};

static void move(int n, struct particle *p)
{
    for (int i = 0; i < n; i++) {
        p[i].v += p[i].kind;
        p[i].x += p[i].v;
    }
}

static void relax(struct grid *g)
{
    for (int i = 0; i < g->n; i++)
        g->cells[i] = g->cells[i] * 3 + g->border[i % 4];
    for (int i = 0; i < 4; i++)
        g->border[i] += g->cells[0];
}

static void run(int n)
{
    struct particle p[MOST + 1];
    for (int i = 0; i <= MOST; i++)
        p[i].x = (unsigned)i, p[i].v = (unsigned)(3 * i), p[i].kind = (unsigned short)(i % 5);
    move(n, p);
    p[n / 2].v = 9;
    struct particle kept = p[n / 2];
    move(n, p);
    unsigned cells[MOST + 1], sum = 0;
    fill(MOST + 1, cells, 61);
    struct grid g = {n, cells, {1, 2, 3, 4}};
    relax(&g);
    struct grid copy = g;
    relax(&copy);
    for (int i = 0; i < n; i++)
        g.cells[i] += 1;
    for (int i = 0; i <= MOST; i++)
        sum = sum * 31 + p[i].x + 7 * p[i].v;
    printf("%u %u %u %u %u\n", sum, kept.v, g.border[2], copy.border[2], g.cells[n / 2]);
    show("cells", n, MOST + 1, cells);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
