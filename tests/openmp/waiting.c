/* Threads that wait for each other, or share what is no memory of the host's: `critical`, `ordered`, `sections`,
   `single`, `scope`, barriers below other statements, and scalars of a region (OpenMP 5.2 11.1 to 11.3, 15.2, 15.3,
   15.10, 5.1.1). What the program prints does not depend on how many threads there are. */
#include <omp.h>
#include <stdio.h>

#define MOST 1003

static int a[MOST], b[MOST], order[MOST];

#pragma omp declare target
static void both(int n, int *sum, int *most)
{
    #pragma omp for
    for (int i = 0; i < n; i++) {
        #pragma omp critical (both)
        {
            *sum = *sum + a[i];
            if (a[i] > *most)
                *most = a[i];
        }
    }
}
#pragma omp end declare target

static void exclude(int n)
{
    int sum = 0, most = -1, at = 0, turns = 0;
    #pragma omp target parallel for map(tofrom: a, sum, most)
    for (int i = 0; i < n; i++) {
        a[i] = i % 7;
        #pragma omp critical
        {
            sum = 3 * (sum % 1000) + 1;
            most = a[i] > most ? a[i] : most;
        }
    }
    #pragma omp target map(tofrom: a, order, at)
    #pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < n; i++) {
        int twice = 2 * a[i];
        #pragma omp ordered
        order[at++] = i + twice;
    }
    int right = at == n;
    for (int i = 0; i < n; i++)
        right &= order[i] == i + 2 * a[i];
    #pragma omp target parallel num_threads(5) map(tofrom: turns)
    {
        #pragma omp critical
        turns = turns + 1 + 0 * omp_get_thread_num();
    }
    int again = 0, top = -1;
    #pragma omp target parallel map(to: a) map(tofrom: again, top)
    both(n, &again, &top);
    printf("%d: %d %d %d %d %d %d\n", n, sum, most, right, turns >= 1 && turns <= 5, again, top);
}

static void divide(int n)
{
    int x = 1, y = 2, z = 3, last = -1, sum = 10;
    #pragma omp target map(tofrom: x, y, z)
    #pragma omp parallel
    {
        #pragma omp sections
        {
            x = n;
            #pragma omp section
            y = 2 * n;
            #pragma omp section
            {
                int t = 0;
                for (int i = 0; i < n; i++)
                    t += i;
                z = t;
            }
        }
        #pragma omp single
        x += y;
    }
    #pragma omp target map(tofrom: last, sum)
    #pragma omp parallel sections lastprivate(last) reduction(+: sum)
    {
        #pragma omp section
        { last = 1; sum += n; }
        #pragma omp section
        { last = 2; sum += 2 * n; }
    }
    printf("%d: %d %d %d %d %d\n", n, x, y, z, last, sum);
}

static void share(int n)
{
    int total = 0, once = 0, steps = 0, wrong = 0, behind = -1, ends = -1;
    for (int i = 0; i < n; i++)
        a[i] = i & 3;
    #pragma omp target map(to: a) map(tofrom: total, behind, ends)
    {
        int found = 0, who = -1, value = 7, k;
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            if (a[i] == 3) {
                #pragma omp atomic write
                found = 1;
            }
        #pragma omp parallel num_threads(4) shared(who)
        {
            #pragma omp single
            who = 4;
        }
        #pragma omp parallel for lastprivate(value)
        for (int i = 0; i < n; i++)
            value = 3 * i;
        #pragma omp parallel for lastprivate(k)
        for (k = 0; k < n; k += 2)
            a[k] = 0;
        total = 100 * found + who;
        behind = value;
        ends = k;
    }
    #pragma omp target parallel map(tofrom: b, once, steps, wrong)
    {
        int mine = omp_get_thread_num(), all = omp_get_num_threads();
        for (int step = 0; step < 3; step++) {
            #pragma omp single
            once++;
            for (int i = mine; i < n; i += all)
                b[i] = step == 0 ? i : b[i] + 1;
            #pragma omp barrier
            if (n > 0 && b[n - 1] != n - 1 + step) {
                #pragma omp atomic
                wrong++;
            }
            #pragma omp barrier
        }
        #pragma omp master
        steps = mine;
    }
    int right = 1;
    for (int i = 0; i < n; i++)
        right &= b[i] == i + 2;
    int in = 0;
    #pragma omp target parallel map(tofrom: in)
    {
        #pragma omp scope
        {
            #pragma omp for
            for (int i = 0; i < n; i++) {
                #pragma omp atomic
                in++;
            }
        }
        #pragma omp scope reduction(+: in)
        in += omp_get_thread_num() == 0;
    }
    printf("%d: %d %d %d %d %d %d %d %d\n", n, total, n ? behind : 0, n ? ends : 0, once, steps, wrong, right, in);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, MOST};
    for (int i = 0; i < 5; i++) {
        exclude(sizes[i]);
        divide(sizes[i]);
        share(sizes[i]);
    }
    return 0;
}
