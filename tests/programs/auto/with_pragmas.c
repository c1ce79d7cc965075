/* Nests without a directive beside regions that have one: the program's data stay what its clauses say. */
#include "../nests/nest.h"

static void plain(int n, unsigned *a)
{
    for (int i = 0; i < n; i++)
        a[i] += 5;
}

static void run(int n)
{
    unsigned a[MOST + 1], b[MOST + 1];
    fill(MOST + 1, a, 101);
    fill(MOST + 1, b, 102);
    plain(n, a);
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    plain(n, a);
    #pragma acc data copy(a) copyin(b)
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] *= 3;
        #pragma acc update self(a)
        /* What the host does with its own copy; the end of the region has the last word. */
        plain(n, a);
        #pragma acc update device(a)
        #pragma acc kernels
        for (int i = 0; i < n; i++)
            a[i] ^= b[i];
    }
    plain(n, b);
    #pragma acc enter data copyin(b)
    plain(n, b);
    #pragma acc update device(b)
    #pragma acc parallel loop present(b)
    for (int i = 0; i < n; i++)
        b[i] *= 2;
    #pragma acc exit data copyout(b)
    plain(n, b);
    show("a", n, MOST + 1, a);
    show("b", n, MOST + 1, b);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
