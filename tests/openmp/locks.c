/* OpenMP 5.2 §18.9: locks in device code, of the host and of the region; §18.2: how many processors there are, and how deep it is. */
#include <omp.h>
#include <stdio.h>

#pragma omp declare target
static void add_two(omp_nest_lock_t *lock, int *sum, int value)
{
    omp_set_nest_lock(lock);
    omp_set_nest_lock(lock);
    *sum += value;
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
}
#pragma omp end declare target

int main(void)
{
    int sum = 0, tested = 0, levels[3] = {9, 9, 9}, processors = 0, a[200];
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int i = 0; i < 200; i++)
        a[i] = i * 7 % 31;
    #pragma omp target parallel for map(to : a) map(tofrom : sum, lock)
    for (int i = 0; i < 200; i++) {
        omp_set_lock(&lock);
        sum = sum * 3 % 1000 + (a[i] >= 0);
        omp_unset_lock(&lock);
    }
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);

    int nested = 0;
    #pragma omp target map(tofrom : tested, nested, levels, processors)
    {
        omp_lock_t own;
        omp_nest_lock_t nest;
        omp_init_lock(&own);
        omp_init_nest_lock(&nest);
        levels[0] = omp_get_level();
        processors = omp_get_num_procs();
        #pragma omp parallel num_threads(16)
        {
            while (!omp_test_lock(&own))
                ;
            tested += 2;
            levels[1] = omp_get_level();
            omp_unset_lock(&own);
            add_two(&nest, &nested, 3);
        }
        #pragma omp parallel num_threads(1)
        levels[2] = omp_get_level();
        omp_destroy_nest_lock(&nest);
        omp_destroy_lock(&own);
    }
    printf("%d %d %d, %d %d %d, %d\n", sum, tested % 2, nested > 0, levels[0], levels[1], levels[2], processors > 0);
    return 0;
}
