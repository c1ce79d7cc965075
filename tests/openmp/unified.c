/* Memory that host and device share: nothing needs a map, pointers in structures can be followed, and what is
   allocated for the device is the host's too (OpenMP 5.2 8.2, 18.8). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef NATIVE
#pragma omp requires unified_shared_memory
#endif

struct node {
    int value;
    struct node *next;
};

static int global[1003];

int main(void)
{
    int n = 1003, host = 7, *heap = malloc(n * sizeof *heap), sum = 0, last = -1;
    int *of_device = omp_target_alloc(n * sizeof(int), omp_get_default_device());
    struct node *list = NULL;
    for (int i = 0; i < n; i++) {
        heap[i] = i;
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    int *alias = global;
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) {
        heap[i] += 10;
        alias[i] = heap[i] + 1;
        of_device[i] = i;
    }
    #pragma omp target map(tofrom: sum, last, host)
    {
        for (struct node *at = list; at; at = at->next) {
            sum += at->value;
            last = at->value;
            at->value = -1;
        }
        host++;
    }
    int right = 1;
    for (int i = 0; i < n; i++)
        right &= heap[i] == i + 10 && global[i] == i + 11 && of_device[i] == i;
    for (struct node *at = list; at; at = at->next)
        right &= at->value == -1;
    #pragma omp target data map(tofrom: heap[0:n])
    {
        #pragma omp target firstprivate(host)
        heap[0] = host;
        right &= heap[0] == 8;
        #pragma omp target update to(heap[0:n])
    }
    omp_target_free(of_device, omp_get_default_device());
    printf("%d %d %d %d %d\n", sum, last, host, heap[0], right);
    return 0;
}
