// Pointers into one array, in no clause: their sections overlap, in part or wholly, in every order of what is read and written.
#include "nest.h"

static void forwards(int n, const unsigned *q, unsigned *p)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        unsigned t = q[i] + q[i + 1];
        p[i] = t;
    }
}

static void apart(int n, const unsigned *q, unsigned *p)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        p[i] = q[i] + 3 * q[i + n];
}

static unsigned read_only(int n, const unsigned *x, const unsigned *y)
{
    unsigned sum = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void three(int n, unsigned *a, unsigned *b, const unsigned *c)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        a[i] += c[i];
        b[i] ^= 5;
    }
}

// A scalar and pointers to it.
static unsigned total;

static unsigned late(int n, const unsigned *x, const unsigned *limit)
{
    unsigned count = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        total += x[i] | 1;
        if (*limit > 1000)
            count++;
    }
    return count;
}

static unsigned both(int n)
{
    unsigned sum = 0, *p = &sum;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        sum += 1;
        *p += 2;
    }
    return sum;
}

static unsigned a[4 * MOST];

int main(void)
{
    EACH_SIZE(n)
    {
        for (int shift = 0; shift < 3; shift++) {
            fill(4 * MOST, a, 1);
            forwards(n, a, a + shift);
            show("forwards", n, 4 * MOST, a);
            forwards(n, a + shift, a);
            show("backwards", n, 4 * MOST, a);
            apart(n, a, a + (shift == 1 ? 2 * MOST : 0));
            show("apart", n, 4 * MOST, a);
            a[0] = read_only(n, a, a + shift);
            three(n, a, a + n + shift, a + shift);
            show("three", n, 4 * MOST, a);
        }
        total = 0;
        a[1] = late(n, a, &total);
        a[2] = late(n, a, a + 1);
        a[3] = both(n);
        a[4] = total;
        show("scalars", n, 5, a);
    }
    return 0;
}
