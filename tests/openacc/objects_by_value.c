// Structures and complex numbers given to functions that call themselves, and returned by them; memory that threads
// allocate (CUDA C++ Programming Guide, Dynamic global memory allocation); `routine` for functions of the C library.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#pragma acc routine(fmin) seq
#pragma acc routine(hypot) seq

typedef struct {
    double re, im;
    int depth;
    short path[5];
} node;

struct list {
    int value;
    struct list *next;
};

/* Each level changes its copy only. */
static node descend(node at, int n)
{
    if (n <= 0)
        return at;
    node below = at;
    below.depth++;
    below.path[n % 5] = n;
    below.re += 0.5 * n;
    node left = descend(below, n - 1);
    below.im -= n;
    node right = descend(below, n - 2);
    at.re = left.re + right.re;
    at.im = left.im - right.im;
    at.depth += left.depth > right.depth ? left.depth : right.depth;
    for (int i = 0; i < 5; i++)
        at.path[i] = left.path[i] + right.path[i];
    return at;
}

static double complex power(double complex z, int n)
{
    if (n == 0)
        return 1;
    double complex half = power(z, n / 2);
    return n % 2 ? half * half * z : half * half;
}

static struct list *squares(int n)
{
    struct list *first = NULL;
    for (int i = 0; i < n; i++) {
        struct list *cell = (struct list *)malloc(sizeof *cell);
        cell->value = i * i;
        cell->next = first;
        first = cell;
    }
    return first;
}

static int summed(struct list *first)
{
    int sum = 0;
    while (first) {
        struct list *next = first->next;
        sum = 3 * sum + first->value;
        free(first);
        first = next;
    }
    return sum;
}

static void all(int n)
{
    node *nodes = malloc((n + 1) * sizeof *nodes);
    double complex *z = malloc((n + 1) * sizeof *z);
    double *sorted = malloc((n + 1) * sizeof *sorted);
    int *sums = malloc((n + 1) * sizeof *sums);
    double least = 1e300;
    #pragma acc parallel loop copyout(nodes[0:n], z[0:n])
    for (int i = 0; i < n; i++) {
        node start = {i, 1, 0, {0}};
        nodes[i] = descend(start, i % 9);
        z[i] = power(nodes[i].im / 64 + 0.25 * I, i % 12);
    }
    /* What a launch has allocated is there for the next one. */
    double **kept = malloc((n + 1) * sizeof *kept);
    struct list **lists = malloc((n + 1) * sizeof *lists);
    #pragma acc data create(kept[0:n], lists[0:n]) copyout(sorted[0:n], sums[0:n])
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++) {
            double *own = malloc((n + 1) * sizeof(double));
            for (int j = 0; j < n; j++)
                own[j] = (j * 7 + i) % n;
            for (int j = 1; j < n; j++)
                for (int k = j; k > 0 && own[k - 1] > own[k]; k--) {
                    double other = own[k];
                    own[k] = own[k - 1];
                    own[k - 1] = other;
                }
            kept[i] = own;
            lists[i] = squares(i % 10);
        }
        #pragma acc parallel loop reduction(min: least)
        for (int i = 0; i < n; i++) {
            double *own = kept[n - 1 - i];
            sorted[i] = own[i];
            least = fmin(least, hypot(own[n / 2], i - 3));
            free(own);
            sums[i] = summed(lists[i]);
        }
    }
    free(kept), free(lists);
    double re = 0, im = 0, total = 0;
    long checks = 0;
    for (int i = 0; i < n; i++) {
        re += nodes[i].re + creal(z[i]);
        im += nodes[i].im + cimag(z[i]);
        total += sorted[i];
        checks += sums[i] + nodes[i].depth + nodes[i].path[i % 5];
    }
    printf("%d: %.6f %.6f %.1f %ld %.6f\n", n, re, im, total, checks, n ? least : 0);
    free(nodes), free(z), free(sorted), free(sums);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 31, 97};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
