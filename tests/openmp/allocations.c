/* Memory that device code allocates for itself (OpenMP 5.2 6.5, 18.13). */
#include <omp.h>
#include <stdio.h>

#define N 1003

int main(void)
{
    static int a[N];
    double sum = -1;
    int bad = 0;
    #pragma omp target map(from: a) map(tofrom: bad)
    {
        int *x = (int *)omp_alloc(N * sizeof(int), omp_default_mem_alloc);
        if (x == NULL)
            bad = 1;
        #pragma omp parallel for
        for (int i = 0; i < N; i++)
            x[i] = 3 * i;
        for (int i = 0; i < N; i++)
            a[i] = x[N - 1 - i];
        omp_free(x, omp_default_mem_alloc);
    }
    #pragma omp target map(tofrom: sum, bad)
    {
        omp_alloctrait_t traits[1] = {{omp_atk_alignment, 64}};
        omp_allocator_handle_t mine = omp_init_allocator(omp_default_mem_space, 1, traits);
        double *y = (double *)omp_calloc(64, sizeof(double), mine);
        double total = 0;
        for (int i = 0; i < 64; i++)
            bad |= y[i] != 0;
        #pragma omp parallel for
        for (int i = 0; i < 64; i++)
            y[i] = 0.5 * i;
        for (int i = 0; i < 64; i++)
            total += y[i];
        sum = total;
        omp_free(y, mine);
        omp_destroy_allocator(mine);
    }
    printf("%d %d %g %d\n", a[0], a[N - 1], sum, bad);
    return 0;
}
