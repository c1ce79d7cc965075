/* What a map of a structure maps, by `declare mapper`; values of iterators; sections with strides (OpenMP 5.2 5.8.8,
   3.2.6, 3.2.5). */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    size_t len;
    double *data;
} vector;

struct pair {
    int n, *first, *second;
};

#ifndef NATIVE
#pragma omp declare mapper(vector v) map(v, v.data[0:v.len])
#pragma omp declare mapper(one: struct pair p) map(to: p, p.first[0:p.n]) map(tofrom: p.second[0:p.n])
#endif

static void fill(vector *v, double from)
{
    for (size_t i = 0; i < v->len; i++)
        v->data[i] = from + i;
}

static void mapped(int n)
{
    vector v = {n, calloc(n + 1, sizeof(double))};
    #pragma omp target
    fill(&v, 5);
    #pragma omp target map(tofrom: v)
    for (int i = 0; i < n; i++)
        v.data[i] *= 2;
    struct pair p = {n, malloc((n + 1) * sizeof(int)), malloc((n + 1) * sizeof(int))};
    for (int i = 0; i < n; i++)
        p.first[i] = i, p.second[i] = 100;
#ifndef NATIVE
    #pragma omp target map(mapper(one), tofrom: p)
#endif
    for (int i = 0; i < p.n; i++)
        p.second[i] += p.first[i];
    printf("%d: %g %d\n", n, n ? v.data[n - 1] : 0, n ? p.second[n - 1] : 0);
    free(v.data);
    free(p.first);
    free(p.second);
}

static void some(int n)
{
    int *a = calloc(n + 1, sizeof *a), *rows[7], sum = 0;
    for (int i = 0; i < 7; i++) {
        rows[i] = malloc(3 * sizeof(int));
        for (int j = 0; j < 3; j++)
            rows[i][j] = 10 * i + j;
    }
#ifndef NATIVE
    #pragma omp target data map(to: a[0:n])
    {
        #pragma omp target
        for (int i = 0; i < n; i++)
            a[i] = i + 1;
        #pragma omp target update from(a[0:(n + 2) / 3:3])
        for (int i = 0; i < n; i++)
            a[i] += i % 3 == 0 ? 1000 : 50;
        #pragma omp target update to(a[1:(n + 1) / 3:3])
        #pragma omp target map(tofrom: sum)
        for (int i = 0; i < n; i++)
            sum += a[i];
    }
    #pragma omp target map(iterator(it = 1:6), tofrom: rows[it][:3])
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < 3; j++)
            rows[i][j]++;
#else
    for (int i = 0; i < n; i++) {
        sum += i % 3 == 1 ? 50 : i + 1;
        a[i] = i % 3 == 0 ? i + 1001 : 50;
    }
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < 3; j++)
            rows[i][j]++;
#endif
    long all = 0, of_rows = 0;
    for (int i = 0; i < n; i++)
        all += a[i];
    for (int i = 0; i < 7; i++) {
        of_rows += rows[i][2];
        free(rows[i]);
    }
    printf("%d: %d %ld %ld\n", n, sum, all, of_rows);
    free(a);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, 1003};
    for (int i = 0; i < 5; i++) {
        mapped(sizes[i]);
        some(sizes[i]);
    }
    return 0;
}
