/* Pointers in no clause: to what is mapped they lead to its copy; to what is not, they keep the host's value
   (OpenMP 5.2 5.8.6). What a region leaves in one is lost. */
#include <stdint.h>
#include <stdio.h>

#define N 33

int main(void)
{
    int free_of[N], there[N], bad = 0, same = 0;
    int *p = free_of, *q = NULL, *r = there;
    intptr_t was = (intptr_t)p;
    for (int i = 0; i < N; i++)
        there[i] = i;
    #pragma omp target map(tofrom: bad) map(to: was)
    {
        bad = ((intptr_t)p != was) + 2 * (q != NULL);
        p = NULL;
        q = (int *)0x1234;
    }
    printf("%d %d %d\n", bad, p == free_of, q == NULL);
    #pragma omp target map(tofrom: there, same)
    {
        same = r == there && r[3] == 3;
        r[4] = 40;
    }
    printf("%d %d\n", same, there[4]);
    int *left = NULL, *moved = there, count = 0;
    #pragma omp target map(tofrom: there) map(from: left)
    left = &there[5];
    #pragma omp target map(tofrom: moved) map(tofrom: count)
    {
        if (moved)
            count = 1;
        moved = NULL;
    }
    printf("%d %d %d\n", left != NULL, moved == NULL, count);
    #pragma omp target data map(tofrom: there)
    {
        #pragma omp target map(from: left)
        left = &there[6];
        #pragma omp target is_device_ptr(left)
        left[1] = 77;
        #pragma omp target map(from: left)
        left = NULL;
    }
    printf("%d %d\n", there[7], left == NULL);
    return 0;
}
