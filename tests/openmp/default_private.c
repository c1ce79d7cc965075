/* OpenMP 5.2 §5.4.1: tasks and threads of the host that have all variables for themselves launch regions. */
#include <stdio.h>

int main(void)
{
    int x = 10, y = 20, sum = 0;
    #pragma omp parallel num_threads(2) default(firstprivate) shared(sum)
    {
        int own = x;
        #pragma omp target map(tofrom: own)
        own += y;
        #pragma omp critical
        sum += own > 29;
    }
    #pragma omp task default(firstprivate) shared(y)
    {
        #pragma omp target map(tofrom: y)
        y += x;
    }
    #pragma omp taskwait
    printf("%d %d\n", sum > 0, y);
    return 0;
}
