/* What clauses say of data besides copying it: zero, always, if_present, finalize, no_create,
   default(present), host_data, attach (OpenACC 3.3 2.6 to 2.8). */
#include <stdio.h>
#include <string.h>
#ifdef _OPENACC
#include <openacc.h>
#else
static int acc_is_present(void *p, size_t n) { (void)p; (void)n; return 0; }
#endif

#define N 100

static int a[N], b[N];

static int sum(const int *values)
{
    int total = 0;
    for (int i = 0; i < N; i++)
        total += values[i];
    return total;
}

static void fill(int *values, int with)
{
    for (int i = 0; i < N; i++)
        values[i] = with;
}

/* Works on the address that it is given, wherever that is. */
static void add_one(int *values)
{
    #pragma acc parallel loop deviceptr(values)
    for (int i = 0; i < N; i++)
        values[i] += 1;
}

struct list {
    int count;
    int *values;
};

int main(void)
{
    fill(a, 5);
    #pragma acc parallel loop copyout(zero: a)
    for (int i = 0; i < N; i++)
        if (i % 2)
            a[i] = 3;
#ifndef _OPENACC
    for (int i = 0; i < N; i += 2)
        a[i] = 0;
#endif
    printf("%d\n", sum(a));

    fill(b, 1);
    #pragma acc data create(zero: a) copyin(readonly: b)
    {
#ifndef _OPENACC
        fill(a, 0);
#endif
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        #pragma acc update self(a)
    }
    printf("%d\n", sum(a));

    /* Present already, and copied all the same. */
    fill(a, 1);
    #pragma acc data copyin(a)
    {
        fill(a, 2);
        #pragma acc parallel loop copy(always: a)
        for (int i = 0; i < N; i++)
            a[i] *= 2;
        printf("%d\n", sum(a));
    }

    /* Not present, and left alone. */
    fill(a, 7);
    #pragma acc update self(a) if_present
    #pragma acc update device(a) if_present if(N > 0)
    printf("%d\n", sum(a));

    /* Counts, and their end. */
    #pragma acc enter data copyin(a)
    #pragma acc enter data copyin(a)
    #pragma acc parallel loop default(present)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    #pragma acc exit data copyout(a) finalize
    printf("%d %d\n", sum(a), acc_is_present(a, sizeof a));

    /* Used where it is there. */
    fill(a, 1);
    #pragma acc data copy(a)
    #pragma acc parallel loop no_create(a)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    #pragma acc data no_create(b)
    printf("%d %d\n", sum(a), acc_is_present(b, sizeof b));

    /* Addresses for others. */
    int *p = a;
    #pragma acc data copy(a, b)
    {
        #pragma acc host_data use_device(a)
        add_one(a);
        #pragma acc host_data use_device(p, b) if_present
        {
            add_one(p);
            add_one(b);
        }
    }
    printf("%d %d\n", sum(a), sum(b));
    #pragma acc host_data use_device(p) if_present
    printf("%d\n", p == a);

    /* Pointers in structures. */
    struct list list = {N, b};
    fill(b, 1);
    #pragma acc enter data copyin(list)
    #pragma acc enter data copyin(list.values[0:N])
    #pragma acc enter data attach(list.values)
    #pragma acc parallel loop present(list.values[0:N])
    for (int i = 0; i < N; i++)
        list.values[i] += i;
    #pragma acc exit data detach(list.values)
    #pragma acc exit data copyout(list.values[0:N])
    #pragma acc exit data delete(list) finalize
    printf("%d\n", sum(b));
    return 0;
}
