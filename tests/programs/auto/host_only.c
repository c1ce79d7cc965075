/* No pragma: loops that only the host can run, beside others: volatile, printing, calls through pointers, static
   variables, registers, jumps back by longjmp. */
#include <setjmp.h>

#include "../nests/nest.h"

static volatile unsigned watched[MOST + 1];
static jmp_buf back;

static unsigned next(void)
{
    static unsigned state = 1;
    return state = state * 69069u + 1u;
}

static unsigned plus(unsigned x)
{
    return x + 3;
}

static void returns(int n, unsigned *a)
{
    if (setjmp(back) == 0) {
        for (int i = 0; i < n; i++)
            a[i] += 1;
        longjmp(back, 1);
    }
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}

static void run(int n)
{
    unsigned a[MOST + 1];
    unsigned (*f)(unsigned) = plus;
    register unsigned sum = 0;
    register int i;
    fill(MOST + 1, a, 91);
    for (i = 0; i < n; i++)
        watched[i] = a[i];
    for (i = 0; i < n; i++)
        a[i] += watched[i];
    for (i = 0; i < n; i++)
        a[i] ^= next() >> 8;
    for (i = 0; i < n; i++)
        a[i] = f(a[i]);
    for (i = 0; i < n; i++)
        if (i % 16 == 0)
            printf("a[%d] is %u\n", i, a[i]);
    for (i = 0; i < n; i++)
        sum += a[i];
    returns(n, a);
    printf("%d %u\n", i, sum);
    show("a", n, MOST + 1, a);
}

int main(void)
{
    EACH_SIZE(n)
        run(n);
    return 0;
}
