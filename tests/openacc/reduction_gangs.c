/* Every gang of a `parallel` region executes what stands outside of loops, and what it adds there counts once for each (OpenACC 3.3
   2.5.1, 2.5.15). */
#include <stdio.h>

#ifdef _OPENACC
static int of_gangs(int gangs)
{
    int sum = 0, most = 0, bad = 0, a[50];
    double product = 1;
    for (int i = 0; i < 50; i++)
        a[i] = i;
    #pragma acc parallel num_gangs(8) reduction(+:sum)
    {
        sum += 1;
    }
    bad += sum != 8;
    sum = 5;
    #pragma acc parallel num_gangs(gangs) reduction(+:sum)
    {
        sum += 1;
        int k = 3;
        #pragma acc loop gang
        for (int i = 0; i < 100; i++)
            sum += i;
        for (int i = 0; i < 4; i++)
            if (i > 1)
                sum += k;
    }
    bad += sum != 5 + 4950 + gangs * 7;
    #pragma acc parallel num_gangs(gangs) reduction(*:product) reduction(max:most) copyin(a)
    {
        product *= 2;
        most = most > a[9] ? most : a[9];
    }
    bad += product != 1 << gangs || most != 9;
    sum = 0;
    #pragma acc parallel num_gangs(3) reduction(+:sum) copyin(a)
    for (int i = 0; i < 50; i++)
        sum += a[i];
    bad += sum != 3 * 1225;
    return bad;
}
#endif

int main(void)
{
    int bad = 0;
#ifdef _OPENACC
    bad = of_gangs(1) + of_gangs(7);
#endif
    printf("%d\n", bad);
    return bad != 0;
}
