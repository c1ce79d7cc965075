/* OpenMP 5.2 §5.5.11: operators of the program's own, on scalars and structures, with and without what they begin with; those that
   are operators of the language by another name; in all forms of loops. */
#include <stdio.h>
#include <stdlib.h>

struct place {
    double value;
    int where;
};

struct moments {
    long count;
    double sum, squares;
};

static void larger(struct place *out, const struct place *in)
{
    if (in->value > out->value || in->value == out->value && in->where < out->where)
        *out = *in;
}

static void nothing(struct place *own, const struct place *before)
{
    own->value = before->value;
    own->where = before->where;
}

#pragma omp declare reduction(largest : struct place : larger(&omp_out, &omp_in)) initializer(nothing(&omp_priv, &omp_orig))
#pragma omp declare reduction(+ : struct moments : omp_out.count += omp_in.count, omp_out.sum += omp_in.sum, \
                              omp_out.squares += omp_in.squares)
#pragma omp declare reduction(times : int, long : omp_out = (omp_out * omp_in) % 1009) initializer(omp_priv = 1)
#pragma omp declare reduction(sum : int, double : omp_out += omp_in)
#pragma omp declare reduction(top : int : omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(box : struct place : omp_out.value = omp_out.value + omp_in.value) initializer(omp_priv = {0, -1})

static void all(int n)
{
    double *a = malloc((n + 1) * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = (i * 37) % 101 - 50;

    struct place best = {-1000, -1};
    #pragma omp target teams distribute parallel for map(to: a[0:n]) reduction(largest: best)
    for (int i = 0; i < n; i++) {
        struct place one = {a[i], i};
        larger(&best, &one);
    }
    printf("%d: %g at %d", n, best.value, best.where);

    struct moments m = {1, 2, 3};
    #pragma omp target map(to: a[0:n]) map(tofrom: m)
    #pragma omp teams distribute parallel for reduction(+: m)
    for (int i = 0; i < n; i++) {
        m.count++;
        m.sum += a[i];
        m.squares += a[i] * a[i];
    }
    printf(", %ld %g %g", m.count, m.sum, m.squares);

    int product = 5, total = 7, highest = -3;
    long other = 1;
    #pragma omp target parallel for map(to: a[0:n]) reduction(times: product, other) reduction(sum: total)
    for (int i = 0; i < n; i++) {
        product = product * ((int)a[i] * (int)a[i] + 1) % 1009;
        other = other * (i % 5 + 1) % 1009;
        total += (int)a[i];
    }
    printf(", %d %ld %d", product, other, total);

    #pragma omp target teams distribute parallel for map(to: a[0:n]) reduction(sum: total) reduction(top: highest)
    for (int i = 0; i < n; i++) {
        total += (int)a[i];
        if (a[i] > highest)
            highest = (int)a[i];
    }
    printf(", %d %d", total, highest);

    int inner = 2;
    #pragma omp target map(tofrom: inner)
    {
        #pragma omp parallel
        {
            #pragma omp for reduction(times: inner)
            for (int i = 0; i < n; i++)
                inner = inner * (i % 7 + 1) % 1009;
        }
    }
    struct place sum = {1.5, 4};
    #pragma omp target teams loop map(to: a[0:n]) reduction(box: sum)
    for (int i = 0; i < n; i++)
        sum.value += a[i];
    printf(", %d, %g %d\n", inner, sum.value, sum.where);
    free(a);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 77, 1000};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
