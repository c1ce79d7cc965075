// What the nests have in common: sizes, numbers to begin with, a number that every element changes.
#include <stdio.h>

static const int sizes[] = {0, 1, 2, 13, 16, 37};
#define EACH_SIZE(n) for (int at = 0, n; at < 6 && (n = sizes[at], 1); at++)
#define MOST 37

// Unsigned numbers wrap, so that every order of operations that is right gives the same.
static void fill(int count, unsigned *x, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = seed >> 20;
    }
}

static void show(const char *name, int n, int count, const unsigned *x)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31u + x[i];
    printf("%s %d: %u\n", name, n, sum);
}
