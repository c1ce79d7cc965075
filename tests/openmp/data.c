/* Data that stays on the device: regions, enter and exit, update, counts of references, device addresses,
   conditions, tasks of the host that are waited for (OpenMP 5.2 5.8, 13.5 to 13.9, 15.9.5). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100

struct pair {
    int n;
    double values[N];
};

#pragma omp declare target
int counter[4];
#pragma omp end declare target
static double factor = 1.5;
#pragma omp declare target(factor)

static void twice(int *p)
{
    #pragma omp target is_device_ptr(p)
    for (int i = 0; i < N; i++)
        p[i] *= 2;
}

int main(void)
{
    int a[N], *p = malloc(N * sizeof *p), n = N;
    struct pair s = {N, {0}};
    for (int i = 0; i < N; i++)
        a[i] = i, p[i] = -i;

    #pragma omp target data map(tofrom: a) map(to: p[0:n])
    {
        #pragma omp target
        for (int i = 0; i < N; i++)
            a[i] += p[i] + 1;
        #pragma omp target update from(a[2:3])
        printf("%d %d\n", a[2], a[4]);
        a[7] = 70;
        #pragma omp target update to(a[7:1])
        #pragma omp target map(always, from: a[7:1])
        a[7] += 1;
        printf("%d\n", a[7]);
    }
    printf("%d %d\n", a[7], a[99]);

    /* Whoever enters twice leaves twice; what is deleted is gone for all. */
    #pragma omp target enter data map(to: a)
    #pragma omp target enter data map(to: a)
    #pragma omp target
    a[0] = 42;
    #pragma omp target exit data map(from: a)
    printf("%d\n", a[0] == 42 || omp_target_is_present(a, omp_get_default_device()));
    #pragma omp target exit data map(from: a)
    printf("%d\n", a[0]);
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target exit data map(delete: a)
        a[1] = 11;
        #pragma omp target map(tofrom: a)
        a[1] += 1;
    }
    printf("%d\n", a[1]);
    #pragma omp target exit data map(release: a)

    #pragma omp target data map(tofrom: a) use_device_addr(a)
    twice(a);
    #pragma omp target data map(tofrom: p[0:N]) use_device_ptr(p)
    twice(p);
    printf("%d %d %d\n", a[1], a[5], p[9]);

    #pragma omp target map(tofrom: s)
    for (int i = 0; i < s.n; i++)
        s.values[i] = factor * i;
    printf("%g\n", s.values[3]);

    factor = 2;
    counter[2] = 5;
    #pragma omp target update to(factor, counter)
    #pragma omp target map(from: n)
    {
        counter[2] += 1;
        n = (int)(factor * counter[2]);
    }
    #pragma omp target update from(counter)
    printf("%d %d\n", n, counter[2]);

    int on = 1;
    #pragma omp target if(n < 0) map(from: on)
    on = omp_is_initial_device();
    printf("%d", on);
    #pragma omp target device(omp_get_initial_device()) map(from: on)
    on = omp_is_initial_device();
    printf(" %d\n", on);

    int x = 0;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task shared(x) depend(out: x)
        x = 3;
        #pragma omp target map(tofrom: x) depend(inout: x) nowait
        x *= 7;
        #pragma omp task shared(x) depend(in: x)
        printf("%d\n", x);
        #pragma omp taskwait
    }
    #pragma omp target teams distribute parallel for defaultmap(tofrom: aggregate)
    for (int i = 0; i < N; i++)
        a[i] = i + x;
    printf("%d\n", a[N - 1]);
    free(p);
    return 0;
}
