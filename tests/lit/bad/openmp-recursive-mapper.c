// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
struct node {
    int value;
    struct node *next;
};
#pragma omp declare mapper(struct node n) map(n.value, n.next[0:1])

int sum(struct node *list)
{
    struct node a = *list;
    #pragma omp target map(tofrom: a)
    a.value += a.next->value;
    return a.value;
}
