/* Every combined form of `target` with a loop, on sizes that divide nothing: maps, reductions, private copies,
   collapse and what clauses may ask for (OpenMP 5.2 17, 5.4, 5.5, 5.8, 10.2). */
#include <stdio.h>
#include <stdlib.h>

static void forms(int n)
{
    int *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
    long total = 0, most = 0;
    int least = 1 << 30, bits = 0, copy = 5, t = 0;
    for (int i = 0; i < n; i++)
        a[i] = i % 17, b[i] = 1;

    #pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: b[0:n])
    for (int i = 0; i < n; i++)
        b[i] += a[i];
    #pragma omp target teams distribute parallel for simd map(to: a[:n]) map(tofrom: b[:n]) num_teams(3) thread_limit(64)
    for (int i = 0; i < n; i++)
        b[i] += 2 * a[i];
    #pragma omp target teams distribute map(to: a[:n]) map(tofrom: b[:n]) dist_schedule(static) firstprivate(copy)
    for (int i = 0; i < n; i++)
        b[i] += copy + a[i];
    #pragma omp target teams distribute simd map(tofrom: b[:n]) simdlen(4) private(t)
    for (int i = 0; i < n; i++) {
        t = b[i];
        b[i] = t + 1;
    }
    #pragma omp target teams loop map(tofrom: b[:n]) order(concurrent)
    for (int i = 0; i < n; i++)
        b[i] ^= 3;
    #pragma omp target parallel for map(tofrom: b[:n]) num_threads(32) schedule(static, 4)
    for (int i = 0; i < n; i++)
        b[i] += i;
    #pragma omp target parallel for simd map(tofrom: b[:n])
    for (int i = n - 1; i >= 0; i--)
        b[i] -= 1;
    #pragma omp target parallel loop map(tofrom: b[:n])
    for (int i = 0; i < n; i += 2)
        b[i] *= 3;
    #pragma omp target simd map(tofrom: b[:n])
    for (int i = 1; i < n; i++)
        b[i] += 7;

    #pragma omp target teams distribute parallel for map(to: b[:n]) reduction(+: total) reduction(max: most)
    for (int i = 0; i < n; i++) {
        total += b[i];
        most = b[i] > most ? b[i] : most;
    }
    #pragma omp target teams distribute parallel for map(to: b[:n]) reduction(min: least) reduction(|: bits)
    for (int i = 0; i < n; i++) {
        least = b[i] < least ? b[i] : least;
        bits |= b[i];
    }
    long product = 0;
    #pragma omp target parallel for map(to: a[:n]) reduction(+: product)
    for (int i = 0; i < n; i++)
        product += (long)a[i] * a[i];
    printf("%d: %ld %ld %d %d %ld %d\n", n, total, most, n ? least : 0, bits, product, copy);
    free(a);
    free(b);
}

static void last(int n)
{
    int value = -1, *a = malloc((n + 1) * sizeof *a);
    double where = 0;
    #pragma omp target teams distribute parallel for lastprivate(value) map(from: a[0:n])
    for (int i = 0; i < n; i++) {
        value = 3 * i;
        a[i] = value;
    }
    #pragma omp target map(tofrom: where)
    #pragma omp parallel for collapse(2) lastprivate(where)
    for (int i = 0; i < n; i++)
        for (int j = 20; j > 0; j -= 3)
            where = i * 100 + j;
    printf("%d: %d %g\n", n, n ? value : -1, n ? where : 0);
    free(a);
}

static void nested(int n, int m)
{
    float (*x)[m + 1] = malloc((n + 1) * sizeof *x);
    double sum = 0;
    #pragma omp target teams distribute parallel for collapse(2) map(from: x[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= m; j++)
            x[i][j] = i * 100 + j;
    #pragma omp target teams distribute reduction(+: sum) map(to: x[0:n])
    for (int i = 0; i < n; i++) {
        double row = 0;
        #pragma omp parallel for reduction(+: row)
        for (int j = 0; j <= m; j++)
            row += x[i][j];
        sum += row;
    }
    printf("%d %d: %g\n", n, m, sum);
    free(x);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, 1003};
    for (int i = 0; i < 5; i++)
        forms(sizes[i]);
    for (int i = 0; i < 5; i++)
        last(sizes[i]);
    nested(0, 3);
    nested(7, 0);
    nested(19, 61);
    return 0;
}
