/* Constructs in functions that regions call (OpenMP 5.2 §1.2.2: orphaned): loops that the threads of the caller divide, regions of
   their own, updates. */
#include <omp.h>
#include <stdio.h>

#define N 300

static void fill(int n, int *a)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = i;
}

static void add_all(int n, const int *a, int *sum)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        *sum += a[i];
    }
}

/* The caller's threads divide both loops, with a barrier between. */
static void phases(int n, int *a, int *b, int by)
{
    int half = n / 2;
    if (by > 1)
        half += 1;
    #pragma omp for
    for (int i = 0; i < n; i++)
        b[i] = a[i] + by;
    #pragma omp single
    b[n] = half;
    #pragma omp for
    for (int i = 0; i < n; i++)
        a[i] = b[n - 1 - i] + b[n];
}

/* Each thread repeats what stands between. */
static void counted(int n, int *a, int *calls)
{
    #pragma omp for
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma omp atomic
    *calls += 1;
}

static int dot(int n, const int *a)
{
    int sum = 0;
    #pragma omp simd reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i] % 10 * (a[i] % 7);
    return sum;
}

static int total(int n, const int *a)
{
    int sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

static void one(int *a)
{
    #pragma omp atomic
    a[0] += 1;
}

static void all(int n)
{
    static int a[N], b[N + 1], c[20];
    int sum = 0, d = 0, count = 0, t = 0, calls = 0;
    #pragma omp target map(tofrom: a, b, sum, d, t)
    {
        fill(n, a);
        add_all(n, a, &sum);
        #pragma omp parallel
        {
            phases(n, a, b, 1);
            #pragma omp barrier
            phases(n, a, b, 3);
        }
        d = dot(n, a);
        t = total(n, a);
    }
    printf("%d: %d %d %d", n, sum, d, t);
    #pragma omp target map(tofrom: a, calls)
    {
        #pragma omp parallel num_threads(4)
        counted(n, a, &calls);
        t = total(n, a);
    }
    printf(" %d %d", calls > 0, a[n / 2]);
    #pragma omp target teams distribute parallel for map(tofrom: count)
    for (int i = 0; i < n; i++)
        one(&count);
    #pragma omp target teams distribute map(from: c) map(to: a)
    for (int i = 0; i < 20; i++)
        c[i] = total(n, a) + i;
    printf(" %d %d\n", count, c[3]);
}

int main(void)
{
    int sizes[] = {0, 1, 37, N};
    for (int i = 0; i < 4; i++)
        all(sizes[i]);
    return 0;
}
