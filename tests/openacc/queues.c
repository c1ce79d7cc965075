/* async and wait: clauses, directives and routines (OpenACC 3.3 2.16, 3.2.9 to 3.2.16). */
#include <stdio.h>
#ifdef _OPENACC
#include <openacc.h>
#else
enum { acc_async_sync = -2, acc_async_noval = -1, acc_async_default = 0 };
static int acc_async_test(int q) { (void)q; return 1; }
static int acc_async_test_all(void) { return 1; }
static void acc_wait(int q) { (void)q; }
static void acc_wait_async(int q, int r) { (void)q; (void)r; }
static void acc_wait_all_async(int q) { (void)q; }
static void acc_wait_all(void) {}
static int acc_wait_any(int n, int *q)
{
    for (int i = 0; i < n; i++)
        if (q[i] != acc_async_sync)
            return i;
    return -1;
}
static int standing = acc_async_default;
static int acc_get_default_async(void) { return standing; }
static void acc_set_default_async(int q) { standing = q; }
#endif

#define N 1000

static double a[N], b[N], c[N];

static double sum(const double *values)
{
    double total = 0;
    for (int i = 0; i < N; i++)
        total += values[i];
    return total;
}

static void start(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 1;
        c[i] = 0;
    }
}

int main(void)
{
    /* One queue keeps its order, transfers included. */
    start();
    #pragma acc enter data copyin(a, b) create(c) async(3)
    #pragma acc parallel loop present(a, b) async(3)
    for (int i = 0; i < N; i++)
        a[i] += b[i];
    #pragma acc parallel loop present(a, c) async(3)
    for (int i = 0; i < N; i++)
        c[i] = 2 * a[i];
    #pragma acc update self(a) async(3)
    #pragma acc exit data copyout(c) delete(a, b) async(3)
    #pragma acc wait(3)
    printf("%g %g\n", sum(a), sum(c));

    /* Two queues, one behind the other. */
    start();
    #pragma acc data copyin(a, b) copyout(c)
    {
        #pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] *= 3;
        #pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] += 4;
        #pragma acc parallel loop async(1) wait(2)
        for (int i = 0; i < N; i++)
            c[i] = a[i] + b[i];
        #pragma acc wait(1) async(2)
        #pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            c[i] += 1;
        #pragma acc wait(1, 2)
    }
    printf("%g\n", sum(c));

    /* A queue by its number at run time, no number, and no queue at all. */
    start();
    int total = 0;
    #pragma acc data copy(a) copyin(b)
    {
        for (int queue = 0; queue < 4; queue++) {
            int first = queue * (N / 4);
            #pragma acc parallel loop async(queue)
            for (int i = first; i < first + N / 4; i++)
                a[i] += queue;
        }
        #pragma acc wait
        #pragma acc parallel loop async
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        #pragma acc kernels async(acc_async_noval)
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        #pragma acc wait(acc_async_default)
        #pragma acc serial async(acc_async_sync)
        for (int i = 0; i < N; i++)
            a[i] += b[i];
    }
    printf("%g\n", sum(a));

    /* What is copied back by the region itself is there behind the wait. */
    #pragma acc parallel loop reduction(+:total) copy(total) async(7)
    for (int i = 0; i < N; i++)
        total += i;
    while (!acc_async_test(7))
        ;
    printf("%d\n", total);

    /* A data region in a queue, and waits on a condition. */
    start();
    #pragma acc data copy(c) copyin(a) async(5)
    {
        #pragma acc parallel loop async(5)
        for (int i = 0; i < N; i++)
            c[i] = a[i] + 1;
    }
    #pragma acc wait(5) if(N > 1)
    printf("%g\n", sum(c));

    /* Routines. */
    start();
    #pragma acc data copy(a, b, c)
    {
        int queues[3] = {1, acc_async_sync, 2}, done = 0;
        #pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] += 1;
        #pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            b[i] += 1;
        for (int next; (next = acc_wait_any(3, queues)) >= 0; done++)
            queues[next] = acc_async_sync;
        #pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        acc_wait_async(1, 2);
        #pragma acc parallel loop async(2)
        for (int i = 0; i < N; i++)
            c[i] = a[i];
        acc_wait_all_async(9);
        #pragma acc update self(c) async(9)
        acc_wait(9);
        acc_wait_all();
        printf("%d %g %d\n", done, sum(c), acc_async_test_all());
    }
    printf("%d ", acc_get_default_async());
    acc_set_default_async(6);
    #pragma acc parallel loop copy(a) async
    for (int i = 0; i < N; i++)
        a[i] = i;
    acc_wait(6);
    printf("%d %g\n", acc_get_default_async(), sum(a));
    #pragma acc set default_async(acc_async_default)
    acc_set_default_async(acc_async_default);
    printf("%d\n", acc_get_default_async());

    /* On the host the statement itself waits. */
    start();
    #pragma acc parallel loop copy(a) async(1)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    #pragma acc parallel loop if(N < 0) wait(1) async(1)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    printf("%g\n", sum(a));
    return 0;
}
