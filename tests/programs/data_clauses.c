/* What each data clause moves, and when. Only values that both ways of running define are printed. */
#include <stdio.h>
#include <stdlib.h>

#define N 100

static void print_sum(const char *what, const int *x)
{
    long sum = 0;
    for (int i = 0; i < N; i++)
        sum += (long)x[i] * (i + 1);
    printf("%s: %ld\n", what, sum);
}

int main(void)
{
    int a[N], b[N], c[N];
    int *heap = malloc(N * sizeof *heap);
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
        c[i] = -1;
        heap[i] = 3 * i;
    }

    #pragma acc parallel loop copyin(a, b) copyout(c)
    for (int i = 0; i < N; i++)
        c[i] = a[i] + b[i];
    print_sum("copyin, copyout of whole arrays", c);

    #pragma acc parallel loop copy(heap[0:N])
    for (int i = 0; i < N; i++)
        heap[i] += 1;
    print_sum("copy of a pointer's section", heap);

    #pragma acc parallel loop copy(a[10:20])
    for (int i = 10; i < 30; i++)
        a[i] = 7;
    print_sum("copy of a section in the middle", a);

    /* Arrays without a clause are copied, scalars are private copies. */
    int factor = 5;
    #pragma acc parallel loop
    for (int i = 0; i < N; i++)
        b[i] *= factor;
    print_sum("implicit copy and firstprivate", b);

    #pragma acc data copyin(a) create(c) copyout(b)
    {
        #pragma acc parallel loop present(a, c)
        for (int i = 0; i < N; i++)
            c[i] = a[i] + 1;
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
            b[i] = 2 * c[i];
    }
    print_sum("create between two regions", b);

    #pragma acc data copyin(a[:N])
    {
        #pragma acc parallel loop copy(a[0:N])
        for (int i = 0; i < N; i++)
            a[i] = i;
        #pragma acc update self(a[0:N])
    }
    print_sum("update of what is present", a);

    #pragma acc enter data copyin(heap[0:N])
    #pragma acc parallel loop present(heap[0:N])
    for (int i = 0; i < N; i++)
        heap[i] = i * i;
    #pragma acc exit data copyout(heap[0:N])
    print_sum("enter data, exit data", heap);

    #pragma acc enter data create(heap[0:N])
    for (int i = 0; i < N; i++)
        heap[i] = 4 * i;
    #pragma acc update device(heap[0:N])
    #pragma acc parallel loop present(heap[0:N])
    for (int i = 0; i < N; i++)
        heap[i] += 2;
    #pragma acc update host(heap[0:N])
    #pragma acc exit data delete(heap[0:N])
    print_sum("update device, update host", heap);

    free(heap);
    return 0;
}
