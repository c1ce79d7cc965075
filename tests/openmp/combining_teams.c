/* User-defined reductions over many iterations (OpenMP 5.2 5.5.11): teams combine in device memory what their threads have combined, which
   takes no atomic operation of the type. */
#include <stdio.h>

#define MOST 20000

struct place {
    double value;
    long at;
};

struct matrix {
    unsigned a, b, c, d;
};

static double x[MOST];

static void larger(struct place *out, const struct place *in)
{
    if (in->value > out->value || in->value == out->value && in->at < out->at)
        *out = *in;
}

#pragma omp declare reduction(largest: struct place: larger(&omp_out, &omp_in)) \
    initializer(omp_priv = {-1e300, MOST})
/* A product whose factors are all powers of one, so that their order does not matter. */
static void multiply(struct matrix *out, const struct matrix *in)
{
    struct matrix l = *out;
    out->a = l.a * in->a + l.b * in->c;
    out->b = l.a * in->b + l.b * in->d;
    out->c = l.c * in->a + l.d * in->c;
    out->d = l.c * in->b + l.d * in->d;
}

static void unit(struct matrix *own)
{
    own->a = own->d = 1;
    own->b = own->c = 0;
}

#pragma omp declare reduction(times: struct matrix: multiply(&omp_out, &omp_in)) initializer(unit(&omp_priv))

#pragma omp declare target to(larger, multiply, unit)

static struct place find(int n)
{
    struct place most = {-1, -1};
    #pragma omp target teams distribute parallel for map(to: x) map(tofrom: most) reduction(largest: most)
    for (int i = 0; i < n; i++)
        if (x[i] > most.value || x[i] == most.value && i < most.at) {
            most.value = x[i];
            most.at = i;
        }
    return most;
}

static struct matrix power(int n)
{
    struct matrix all = {1, 1, 0, 1};
    #pragma omp target parallel for reduction(times: all) map(tofrom: all)
    for (int i = 0; i < n; i++) {
        all.b += all.a;
        all.d += all.c;
    }
    return all;
}

static long both(int n, int m)
{
    struct place most = {-1, -1};
    struct matrix all = {1, 0, 0, 1};
    #pragma omp target teams distribute parallel for collapse(2) map(to: x) map(tofrom: most, all) \
        reduction(largest: most) reduction(times: all)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double value = x[(i * 37 + j) % MOST] + i;
            if (value > most.value || value == most.value && i * m + j < most.at) {
                most.value = value;
                most.at = i * m + j;
            }
            all.b += all.a;
            all.d += all.c;
        }
    return most.at + 1000000L * all.b;
}

int main(void)
{
    for (int i = 0; i < MOST; i++)
        x[i] = i * 7919L % 10007;
    int sizes[] = {0, 1, 127, 129, 10000, MOST};
    for (int k = 0; k < 6; k++) {
        int n = sizes[k];
        struct place most = find(n);
        struct matrix all = power(n);
        printf("%d: %g %ld, %u %u %u %u, %ld\n", n, most.value, most.at, all.a, all.b, all.c, all.d, both(n / 100, 100));
    }
    return 0;
}
