/* What each thread of a parallel region has for itself is there behind barriers: variables of its block, those of clauses, what it
   combines, which it may look at before the end. */
#include <omp.h>
#include <stdio.h>

#define T 16

struct place {
    int thread;
    double half;
};

static int a[T], b[T], c[T], d[T];
static double e[T];

static long look(const int *x)
{
    long sum = 0;
    for (int i = 0; i < T; i++)
        sum += (i % 5 + 1L) * x[i];
    return sum;
}

static void own(int n)
{
    int first = 3, last = -1, most = 0, total = 0;
    #pragma omp target map(tofrom: a, b, c, e, total, most)
    {
        #pragma omp parallel num_threads(T) firstprivate(first) private(last)
        {
            int thread = omp_get_thread_num(), next;
            const int threads = omp_get_num_threads();
            struct place place;
            a[thread] = thread * n + first;
            first += thread;
            place.thread = thread;
            place.half = thread * 0.5;
            #pragma omp barrier
            next = (thread + 1) % threads;
            b[thread] = a[next] + first;
            last = b[thread] % 7;
            #pragma omp barrier
            c[thread] = b[next] + last + place.thread;
            e[next] = place.half;
        }
        #pragma omp parallel num_threads(T) reduction(+: total) reduction(max: most)
        {
            int thread = omp_get_thread_num();
            total += thread + n;
            #pragma omp for
            for (int i = 0; i < n; i++)
                total += i;
            if (thread * 3 % 11 > most)
                most = thread * 3 % 11;
            #pragma omp barrier
            if (thread * 5 % 13 > most)
                most = thread * 5 % 13;
        }
    }
    double half = 0;
    for (int i = 0; i < T; i++)
        half += (i + 1) * e[i];
    printf("%d: %ld %ld %ld %g %d %d", n, look(a), look(b), look(c), half, total, most);
}

/* Of what is combined each thread sees its own part. */
static void looked_at(int n)
{
    int total = 5, all = -1;
    #pragma omp target map(tofrom: c, d, total, all)
    {
        #pragma omp parallel num_threads(T) reduction(+: total) reduction(&: all)
        {
            int thread = omp_get_thread_num();
            total += thread + n;
            all &= ~(1 << thread % 4);
            #pragma omp barrier
            c[thread] = total;
            #pragma omp barrier
            total += c[(thread + 3) % T];
            d[thread] = all;
        }
    }
    printf(" %ld %ld %d %d", look(c), look(d), total, all);
}

/* Loops that threads divide, and what one of them does, between what each has. */
static void shared(int n)
{
    int sum = 0, once = 0;
    #pragma omp target map(tofrom: a, b, sum, once)
    {
        #pragma omp parallel num_threads(T)
        {
            int thread = omp_get_thread_num(), twice = 2 * thread;
            #pragma omp for
            for (int i = 0; i < T; i++)
                a[i] = i + n;
            int left = a[(thread + T - 1) % T];
            #pragma omp single
            once += 1;
            #pragma omp for reduction(+: sum)
            for (int i = 0; i < n; i++)
                sum += i % 7;
            b[thread] = left + twice;
            #pragma omp master
            once += twice;
        }
        #pragma omp parallel num_threads(T)
        {
            int thread = omp_get_thread_num(), given = thread;
            a[thread] += given;
            #pragma omp single copyprivate(given)
            given = n + 100;
            b[thread] += given * (thread + 1);
        }
    }
    printf(" %ld %ld %d %d\n", look(a), look(b), sum, once);
}

int main(void)
{
    int sizes[] = {0, 1, 5, 40};
    for (int i = 0; i < 4; i++) {
        own(sizes[i]);
        looked_at(sizes[i]);
        shared(sizes[i]);
    }
    return 0;
}
