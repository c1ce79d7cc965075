/* Which processor has which iteration, where the program asks for numbers; variables that go with the number of an
   iteration; values of the last one (OpenMP 5.2 11.5.3, 11.6.1, 5.4.5, 5.4.6). */
#include <omp.h>
#include <stdio.h>

#define MOST 1003

static int who[MOST], team[MOST], a[MOST];

/* Whether iterations are dealt in chunks, in turns. */
static int in_chunks(const int *by, int n, int chunk, int count)
{
    int right = 1;
    for (int i = 0; i < n; i++)
        right &= by[i] == i / chunk % count;
    return right;
}

/* Whether each processor has one run of iterations, in order, as long as another's or one more. */
static int in_parts(const int *by, int n, int count)
{
    int right = 1, length = (n + count - 1) / (count ? count : 1);
    for (int i = 1; i < n; i++)
        right &= by[i] == by[i - 1] || by[i] == by[i - 1] + 1;
    for (int i = length; i < n; i++)
        right &= by[i] > by[i - length] || length == 0;
    return right && (n == 0 || (by[0] == 0 && by[n - 1] < count));
}

static void shared(int n)
{
    int teams = 1, threads = 1, chunk = 5, right = 1;
    #pragma omp target teams distribute dist_schedule(static, 7) map(tofrom: team, teams)
    for (int i = 0; i < n; i++) {
        team[i] = omp_get_team_num();
        teams = omp_get_num_teams();
    }
    right &= in_chunks(team, n, 7, teams);
    #pragma omp target teams distribute dist_schedule(static) map(tofrom: team, teams)
    for (int i = 0; i < n; i++) {
        team[i] = omp_get_team_num();
        teams = omp_get_num_teams();
    }
    right &= in_parts(team, n, teams);
    #pragma omp target parallel for num_threads(6) schedule(static, chunk) map(tofrom: who, threads)
    for (int i = 0; i < n; i++) {
        who[i] = omp_get_thread_num();
        threads = omp_get_num_threads();
    }
    right &= in_chunks(who, n, chunk, threads);
    #pragma omp target map(tofrom: who, threads)
    #pragma omp parallel num_threads(9)
    {
        #pragma omp for schedule(static)
        for (int i = n - 1; i >= 0; i--) {
            who[n - 1 - i] = omp_get_thread_num();
            threads = omp_get_num_threads();
        }
    }
    right &= in_parts(who, n, threads);
    int wrong = 0;
    #pragma omp target teams distribute parallel for num_teams(3) dist_schedule(static, 16) schedule(static, 2) \
        map(tofrom: who, team, teams, wrong)
    for (int i = 0; i < n; i++) {
        team[i] = omp_get_team_num();
        who[i] = omp_get_thread_num();
        teams = omp_get_num_teams();
        if (who[i] >= omp_get_num_threads())
            wrong = 1;
    }
    right &= in_chunks(team, n, 16, teams);
    printf("%d: %d %d\n", n, right, wrong);
}

/* What a thread leaves in its copy, its next iteration finds there: chunks are visible in it. */
static void kept(int n)
{
    int copy = 7, right = 1;
    #pragma omp target teams distribute parallel for firstprivate(copy) num_teams(4) schedule(static, 8) map(from: a)
    for (int i = 0; i < n; i++) {
        if (i % 8 == 0)
            copy = 0;
        copy++;
        a[i] = copy;
    }
    #pragma omp target parallel for firstprivate(copy) schedule(static, 5) map(from: who)
    for (int i = 0; i < n; i++) {
        if (i % 5 == 0)
            copy = 0;
        who[i] = copy++;
    }
    for (int i = 0; i < n / 4 / 8 * 8; i++)
        right &= a[i] == i % 8 + 1;
    for (int i = 0; i < n; i++)
        right &= who[i] == i % 5;
    printf("%d: %d %d\n", n, copy, right);
}

static void last(int n)
{
    int steps = 3, down = 100, value = -1, k = -7, at = -1;
    #pragma omp target parallel for linear(steps: 2) map(from: a)
    for (int i = 0; i < n; i++) {
        a[i] = steps;
        steps += 2;
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    #pragma omp target map(tofrom: down, a)
    #pragma omp parallel for linear(down: -3)
    for (int i = n; i > 0; i--) {
        a[i - 1] += down;
        down -= 3;
    }
    #pragma omp target parallel for num_threads(4) lastprivate(value) lastprivate(k) map(tofrom: at)
    for (k = 0; k < n; k += 2) {
        value = 10 * k + (omp_get_thread_num() < 0);
        if (k == 0)
            at = 5;
    }
    long mixed = 0;
    for (int i = 0; i < n; i++)
        mixed += a[i] * (long)(i + 1);
    printf("%d: %d %ld %d %ld %d %d %d\n", n, steps, sum, down, mixed, n ? value : 0, n ? k : 0, at);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, MOST};
    for (int i = 0; i < 5; i++) {
        shared(sizes[i]);
        last(sizes[i]);
        kept(sizes[i]);
    }
    return 0;
}
