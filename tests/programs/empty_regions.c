/* Regions that do nothing, or of which nothing is left, beside what is copied around them. */
#include <stdio.h>

static int a[10];

static void folded(void)
{
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 10; i++)
        if (0)
            a[i] = i;
}

int main(void)
{
    int x = 3;
    for (int i = 0; i < 10; i++)
        a[i] = i;
    folded();
    #pragma acc parallel
    {
    }
    #pragma acc kernels copy(x)
    ;
    #pragma acc serial
    {
        int unused = x;
        (void)unused;
    }
    #pragma acc parallel loop
    for (int i = 0; i < 0; i++)
        a[i] = 7;
    printf("%d %d %d\n", x, a[3], a[9]);
    return 0;
}
