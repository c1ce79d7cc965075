/* The routines of the host that are about devices, beside those of the host's own OpenMP library (OpenMP 5.2
   18.2, 18.7, 18.8). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60

int main(void)
{
    int host = omp_get_initial_device(), device = omp_get_default_device();
    int a[N], b[N] = {0}, grid[4][5], part[2][3] = {{0}};
    double start = omp_get_wtime();
    for (int i = 0; i < N; i++)
        a[i] = i;
    printf("%d %d %d\n", host == omp_get_num_devices(), omp_is_initial_device(), device);

    int *d = omp_target_alloc(sizeof a, device), *e = omp_target_alloc(sizeof a, device);
    printf("%d\n", d && e);
    printf("%d\n", omp_target_memcpy(d, a, sizeof a, 0, 0, device, host));
    #pragma omp target teams distribute parallel for is_device_ptr(d) device(device)
    for (int i = 0; i < N; i++)
        d[i] += 1;
    omp_target_memcpy(e, d, sizeof a - 4, 4, 0, device, device);
    omp_target_memcpy(b, e, sizeof a - 4, 4, 4, host, device);
    printf("%d %d %d\n", b[0], b[1], b[N - 1]);

    for (int i = 0; i < 20; i++)
        grid[i / 5][i % 5] = i;
    size_t volume[] = {2, 3}, to[] = {0, 0}, from[] = {1, 2}, small[] = {2, 3}, big[] = {4, 5};
    omp_target_memcpy_rect(part, grid, sizeof(int), 2, volume, to, from, small, big, host, host);
    printf("%d %d %d\n", part[0][0], part[0][2], part[1][1]);

    if (host != device) {
        int failed = omp_target_associate_ptr(a, d, sizeof a, 0, device);
        #pragma omp target map(tofrom: a)
        a[3] += 10;
        int there = omp_target_is_present(a, device);
        omp_target_memcpy(a, d, sizeof a, 0, 0, host, device);
        failed += omp_target_disassociate_ptr(a, device);
        there += 2 * omp_target_is_present(a, device);
        if (failed || there != 1 || a[3] != 14)
            printf("associated: %d %d %d\n", failed, there, a[3]);
    }
    omp_target_free(d, device);
    omp_target_free(e, device);

    int inside = 0;
    #pragma omp parallel default(none) shared(inside) num_threads(1)
    #pragma omp target map(tofrom: inside)
    inside += 1;
    printf("%d\n", inside);

    int sum = 0, threads = 0;
    #pragma omp parallel for reduction(+: sum) num_threads(2)
    for (int i = 0; i < N; i++) {
        sum += i;
        if (i == 0)
            threads = omp_get_num_threads();
    }
    printf("%d %d %d\n", sum, threads, omp_get_wtime() >= start);
    return 0;
}
