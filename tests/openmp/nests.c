/* Constructs that stand in each other, with code between, and threads that know their numbers (OpenMP 5.2 10.1,
   10.2, 11.5, 11.6, 18.2). What the program prints does not depend on how many there are. */
#include <omp.h>
#include <stdio.h>

#define N 517

#pragma omp declare target
static int scale = 3;
static int scaled(int x) { return scale * x; }
static int my_team(void) { return omp_get_team_num(); }
static int is_first(void) { return my_team() == 0; }
#pragma omp end declare target

int main(void)
{
    static int a[N], b[N], seen[N];
    int most = 0, bad = 0, wide = 0, x = 10;

    #pragma omp target map(tofrom: a)
    {
        int first = scaled(2);
        a[0] = first;
        #pragma omp parallel for
        for (int i = 1; i < N; i++)
            a[i] = scaled(i) + first;
        a[0] += a[N - 1];
    }
    printf("%d %d %d\n", a[0], a[1], a[N - 1]);

    #pragma omp target map(to: a) map(from: b)
    #pragma omp teams num_teams(5)
    #pragma omp distribute
    for (int i = 0; i < 11; i++) {
        int base = a[i];
        #pragma omp parallel for
        for (int j = i * 47; j < i * 47 + 47; j++)
            b[j] = a[j] - base;
    }
    printf("%d %d %d\n", b[0], b[48], b[N - 1]);

    #pragma omp target parallel num_threads(24) map(tofrom: a, most, bad)
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        if (me < 0 || me >= all || all > 24)
            bad = 1;
        if (me == 0)
            most = all > 0;
        for (int i = me; i < N; i += all)
            a[i] = i;
    }
    printf("%d %d %d\n", a[5], most, bad);

    #pragma omp target map(tofrom: a, b)
    #pragma omp parallel firstprivate(x)
    {
        #pragma omp for
        for (int i = 0; i < N; i++)
            a[i] += 1;
        #pragma omp barrier
        #pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i];
        int mine = x + 1;
        #pragma omp for
        for (int i = 0; i < N; i++)
            a[i] += mine;
    }
    printf("%d %d %d\n", a[3], b[3], x);

    #pragma omp target teams distribute parallel for num_teams(4) map(tofrom: seen, wide, bad)
    for (int i = 0; i < N; i++) {
        seen[i]++;
        if (omp_get_team_num() >= omp_get_num_teams() || omp_get_thread_num() >= omp_get_num_threads())
            bad = 2;
        if (omp_get_team_num() == 0 && omp_get_thread_num() == 0)
            wide = omp_get_num_teams() <= 4;
    }
    int once = 1;
    for (int i = 0; i < N; i++)
        once &= seen[i] == 1;
    printf("%d %d %d\n", once, wide, bad);

    int teams = 0, sum = 0;
    #pragma omp target teams num_teams(6) reduction(+: sum) map(tofrom: teams)
    {
        sum += 1;
        if (is_first())
            teams = omp_get_num_teams();
    }
    printf("%d\n", sum == teams);

    int y = 4;
    #pragma omp target
    { y = 9; }
    #pragma omp target defaultmap(tofrom: scalar)
    { x = y + 1; }
    printf("%d %d\n", y, x);
    return 0;
}
