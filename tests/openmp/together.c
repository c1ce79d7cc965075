/* What the threads of a team do together: barriers in `while` and `do` loops whose condition is the same for all of them, arrays of a
   thread that begin with a list, and variables private by a clause in `single` (OpenMP 5.2 15.3.1, 5.4.3, 11.1, 5.7.2). */
#include <omp.h>
#include <stdio.h>

#define MOST 200
#define TEAM 32

static int a[MOST], b[MOST];

/* Distances from one element, by rounds until nothing changes. */
static int spread(int n)
{
    int rounds = 0, change = 1;
    #pragma omp target map(tofrom: a, b, rounds, change)
    #pragma omp parallel num_threads(TEAM)
    {
        while (change) {
            #pragma omp for
            for (int i = 0; i < n; i++) {
                int left = i > 0 ? a[i - 1] : MOST, right = i + 1 < n ? a[i + 1] : MOST;
                int least = left < right ? left : right;
                b[i] = least + 1 < a[i] ? least + 1 : a[i];
            }
            #pragma omp single
            {
                change = 0;
                rounds++;
            }
            #pragma omp for
            for (int i = 0; i < n; i++)
                if (b[i] != a[i]) {
                    a[i] = b[i];
                    #pragma omp atomic write
                    change = 1;
                }
        }
    }
    return rounds;
}

/* A thread's own sum over rounds that all go through together. */
static int halves(int n)
{
    int left = n, total = 0;
    #pragma omp target map(to: a) map(tofrom: left, total)
    #pragma omp parallel num_threads(TEAM)
    {
        int own = 0, me = omp_get_thread_num();
        do {
            own += me < left ? me + 1 : 0;
            #pragma omp barrier
            #pragma omp single
            left = left / 2;
        } while (left > 0);
        #pragma omp atomic
        total += own;
    }
    return total;
}

static int lists(int n)
{
    int total = 0;
    #pragma omp target map(tofrom: total, b)
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();
        int part[5] = {1, me, [3] = 7}, table[2][2] = {{me}, {2, 3}};
        b[me] = part[1] + n;
        #pragma omp barrier
        part[2] += b[(me + 1) % TEAM] + table[0][0] + table[0][1];
        #pragma omp barrier
        #pragma omp atomic
        total += part[0] + part[1] + part[2] + part[3] + part[4] + table[1][0] * table[1][1];
    }
    return total;
}

static int by_clause(int n)
{
    int t = -1, u = n, v = 5, seen = 0, total = 0;
    #pragma omp target map(tofrom: seen, total)
    #pragma omp parallel num_threads(TEAM) private(t) firstprivate(u, v)
    {
        t = n + 1;
        #pragma omp single
        {
            t++;
            seen = t + u;
        }
        #pragma omp single
        v = n + u;
        #pragma omp barrier
        v += n % 3;
        u += v;
        #pragma omp barrier
        #pragma omp atomic
        total += u + v;
    }
    return 10000 * seen + total % 10000;
}

int main(void)
{
    int sizes[] = {1, 2, 31, MOST};
    for (int k = 0; k < 4; k++) {
        int n = sizes[k];
        for (int i = 0; i < n; i++)
            a[i] = i == n / 3 ? 0 : MOST;
        int rounds = spread(n), right = 1;
        for (int i = 0; i < n; i++)
            right &= a[i] == (i > n / 3 ? i - n / 3 : n / 3 - i);
        printf("%d: %d %d %d %d %d\n", n, rounds, right, halves(n), lists(n), by_clause(n));
    }
    return 0;
}
