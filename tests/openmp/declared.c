/* What `declare target` says of variables and functions, nested; variants that device code calls and directives
   that it has instead of others (OpenMP 5.2 7.4, 7.5, 7.8, 13.1). */
#include <omp.h>
#include <stdio.h>

#define N 103

#pragma omp declare target
static int kept[N];
#ifndef NATIVE
    #pragma omp begin declare target device_type(host)
#endif
    static int of_host = 3;
#ifndef NATIVE
    #pragma omp end declare target
#endif
#pragma omp end declare target

static int linked[N], scale = 2;
#pragma omp declare target link(linked, scale)

static int on_device(int x) { return x + 1000; }
#pragma omp declare variant(on_device) match(device={kind(nohost)})
static int where(int x) { return x + 1; }

static int never(int x) { return x - 1; }
#pragma omp declare variant(never) match(device={arch(riscv)}, user={condition(1)})
static int always(int x) { return x + 2; }

static void fill(int from)
{
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        kept[i] = from + i;
}
#pragma omp declare target to(fill) device_type(any)

int main(void)
{
    int host = where(0), device = 0, same = 0, limit = 0, chosen[N], asked[2] = {32, 7};
    #pragma omp target
    fill(5);
    #pragma omp target update from(kept)
    #pragma omp target map(tofrom: linked) map(to: scale)
    for (int i = 0; i < N; i++)
        linked[i] = scale * i;
    #pragma omp target map(from: device, same) map(to: of_host)
    {
        device = where(0) == 1000 || omp_is_initial_device();
        same = always(3) + of_host;
    }
    #pragma omp target map(from: chosen)
    #pragma omp parallel
    {
        #pragma omp metadirective when(device={kind(host)}: master) when(device={arch("nvptx")}: for) default(for)
        for (int i = 0; i < N; i++)
            chosen[i] = 3 * i;
    }
    #pragma omp target map(from: limit) thread_limit(asked[0])
    limit = omp_get_thread_limit() <= 32 || omp_is_initial_device();
    int teams = 0, many = 0;
    #pragma omp target teams num_teams(asked[1]) map(from: teams)
    if (omp_get_team_num() == 0)
        teams = omp_get_num_teams() <= 7;
    #pragma omp target map(from: many)
    many = omp_in_parallel();
    printf("%d %d %d %d %d %d\n", kept[7], linked[50], host, device, same, limit);
    printf("%d %d %d\n", chosen[N - 1], teams, many);
    return 0;
}
