/* OpenMP 5.2 §5.5.11: what operators of the program's own combine, by the threads of a block, beside all that loops say otherwise. */
#include <stdio.h>
#include <stdlib.h>

struct range {
    int low, high;
};

struct table {
    int counts[30];
};

struct large {
    long values[1200];
};

static void widen(struct range *out, struct range *in)
{
    if (in->low < out->low)
        out->low = in->low;
    if (in->high > out->high)
        out->high = in->high;
}

static void later(long *out, const long *in)
{
    if (*in % 1009 > *out % 1009)
        *out = *in;
}

static void count(struct table *out, struct table *in)
{
    for (int i = 0; i < 30; i++)
        out->counts[i] += in->counts[i];
}

#pragma omp declare reduction(range : struct range : widen(&omp_out, &omp_in)) initializer(omp_priv = {1 << 30, -1})
#pragma omp declare reduction(range : int : omp_out = omp_out / 2 > omp_in / 2 ? omp_out : omp_in) initializer(omp_priv = -1)
#pragma omp declare reduction(from : long : later(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(count : struct table : count(&omp_out, &omp_in))
#pragma omp declare reduction(all : struct large : omp_out.values[3] += omp_in.values[3])

/* Several variables, copies, two loops in one, and an atomic update in the middle. */
static void many(int n, int m)
{
    struct range r = {n / 3, n / 3};
    int even = 0, seen = 0, scale = 3, own = 5;
    unsigned sum = 100;
    #pragma omp target teams distribute parallel for collapse(2) num_teams(7) thread_limit(64) schedule(static, 4) \
        reduction(range : r, even) reduction(+ : sum) firstprivate(scale) private(own) map(tofrom : seen)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            own = i * scale - j;
            struct range one = {own, own};
            widen(&r, &one);
            if (own > even)
                even = own;
            sum += own;
            if (own % 5 == 0) {
                #pragma omp atomic
                seen++;
            }
        }
    printf("%d to %d, %d, %u, %d, %d %d\n", r.low, r.high, even / 2, sum, seen, scale, own);
}

/* What begins with the value from before; of all forms. */
static void forms(int n)
{
    long a = 1000, b = 2000, c = 3000, d = 4000;
    #pragma omp target parallel for reduction(from : a)
    for (int i = 0; i < n; i++)
        if (i * 37 % 1009 > a % 1009)
            a = i * 37;
    #pragma omp target simd reduction(from : b)
    for (int i = 0; i < n; i++)
        if (i * 41 % 1009 > b % 1009)
            b = i * 41;
    #pragma omp target teams distribute reduction(from : c)
    for (int i = 0; i < n; i++)
        if (i * 43 % 1009 > c % 1009)
            c = i * 43;
    #pragma omp target data map(tofrom : d)
    {
        #pragma omp target map(tofrom : d)
        {
            #pragma omp parallel for reduction(from : d)
            for (int i = n; i > 0; i -= 2)
                if (i * 47 % 1009 > d % 1009)
                    d = i * 47;
            d *= 2;
        }
    }
    printf("%ld %ld %ld %ld\n", a, b, c, d);
}

/* Copies that do not all find room, and those of which not even two do. */
static void sizes(int n, const int *x)
{
    struct table t = {{0}};
    static struct large l;
    l.values[3] = 7;
    #pragma omp target teams loop map(to : x[0 : n]) reduction(count : t)
    for (int i = 0; i < n; i++)
        t.counts[x[i] % 30]++;
    #pragma omp target parallel for map(to : x[0 : n]) reduction(all : l)
    for (int i = 0; i < n; i++)
        l.values[3] += x[i];
    long sum = 0;
    for (int i = 0; i < 30; i++)
        sum = sum * 3 % 100003 + t.counts[i];
    printf("%ld %ld\n", sum, l.values[3]);
}

/* With directives in its loop, one thread executes it. */
static void inside(int n, const int *x)
{
    struct range r = {50, 50};
    int last = 0;
    #pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : last) reduction(range : r)
    for (int i = 0; i < n; i++) {
        struct range one = {x[i], x[i]};
        widen(&r, &one);
        #pragma omp critical
        last = last > i ? last : i;
    }
    printf("%d to %d, %d\n", r.low, r.high, last);
}

int main(void)
{
    int sizes_of[] = {0, 1, 5, 64, 129, 1000};
    int *x = malloc(1000 * sizeof *x);
    for (int i = 0; i < 1000; i++)
        x[i] = i * 7919 % 1013;
    for (int k = 0; k < 6; k++) {
        many(sizes_of[k], 3);
        forms(sizes_of[k]);
        sizes(sizes_of[k], x);
        inside(sizes_of[k], x);
    }
    free(x);
    return 0;
}
