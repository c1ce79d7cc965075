/* Loops whose iterations are executed in another order, or in order: `reverse`, `interchange`, `lastprivate` with
   `conditional`, `induction`; variables of which each team has its own (OpenMP 5.2 5.4.5; OpenMP 6.0 7.6, 7.13, 11). */
#include <omp.h>
#include <stdio.h>

#define MOST 203

static int a[MOST], b[MOST][5];

static void orders(int n)
{
    int last = -1, power = 1, step = 3, sum = 0, count = 0;
    #pragma omp target map(tofrom: a, b)
    {
        int counter = 0;
#ifndef NATIVE
        #pragma omp reverse
        for (int i = 0; i < n; i++)
            a[i] = counter++;
        counter = 0;
        #pragma omp interchange
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 5; j++)
                b[i][j] = counter++;
#else
        for (int i = n - 1; i >= 0; i--)
            a[i] = counter++;
        counter = 0;
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < n; i++)
                b[i][j] = counter++;
#endif
    }
    #pragma omp target parallel for lastprivate(conditional: last)
    for (int i = 0; i < n; i++)
        if (i % 10 == 3)
            last = i;
#ifndef NATIVE
    #pragma omp target parallel for induction(step(step), *: power) map(tofrom: a)
#endif
    for (int i = 0; i < n; i++) {
        a[i] += power;
        power = power * step % 1009;
    }
    int own;
#ifndef NATIVE
    #pragma omp groupprivate(own)
    #pragma omp target teams num_teams(4) reduction(+: sum) map(tofrom: count)
    {
        own = omp_get_team_num();
        sum += own;
        if (own == 0)
            count = omp_get_num_teams();
    }
    sum = sum == count * (count - 1) / 2;
#else
    own = sum = 1;
#endif
    long all = 0;
    for (int i = 0; i < n; i++)
        all += (i + 1L) * a[i] + (i + 2L) * b[i][i % 5];
    printf("%d: %ld %d %d %d\n", n, all, last, power, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, MOST};
    for (int i = 0; i < 5; i++)
        orders(sizes[i]);
    return 0;
}
