/* Routines that tell device code of devices and of regions round it. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int found[5] = {0}, levels = 0;
    #pragma omp target map(tofrom: found)
    {
        found[0] = omp_get_num_devices() == omp_get_initial_device();
        found[1] = omp_get_max_active_levels();
        found[2] = omp_get_cancellation();
        found[3] = omp_get_active_level();
        found[4] = omp_is_initial_device();
    }
    #pragma omp target parallel for reduction(+: levels) num_threads(32)
    for (int i = 0; i < 64; i++)
        levels += omp_get_active_level();
    printf("%d %d %d\n", found[0], found[2], found[3]);
    if (found[1] < 1)
        printf("no level may be active\n");
    /* The host may have one thread, and no level then. */
    if (!found[4] && levels != 64)
        printf("%d levels\n", levels);
    return 0;
}
