/* Device addresses of objects that are no arrays (OpenMP 5.2 5.4.9, 5.4.10); atomic comparisons that say how they went
   (15.8.4); loops that are to be unrolled or tiled (9.1, 9.2); aligned memory of a region (18.13). */
#include <omp.h>
#include <stdio.h>

#define MOST 67

struct pair { int x, y; };

static int addresses(int n)
{
    int x = n, y = 0, other = 0;
    struct pair pair = {n, 2};
    #pragma omp target data map(tofrom: x, pair)
    {
        int *at;
        struct pair *both;
        #pragma omp target data use_device_addr(x, pair)
        {
            at = &x;
            both = &pair;
            struct { int x; } member = {1};
            #pragma omp target has_device_addr(x) map(to: member)
            x += 3 + member.x;
        }
        /* Where there is no device, the addresses are the host's. */
        other = at != &x || omp_get_num_devices() == 0;
        #pragma omp target is_device_ptr(at, both) map(from: y)
        {
            y = *at;
            both->y += y;
        }
    }
    return ((x * 100 + y) * 100 + pair.y) * 10 + other;
}

static int compared(int n)
{
    int first = -1, lost = 0, won = 0, seen = 0;
#ifndef NATIVE
    #pragma omp target parallel for map(tofrom: first, lost, won, seen)
    for (int i = 0; i < n; i++) {
        int was = -7, held = -1;
        #pragma omp atomic compare capture
        if (first == -1) first = 5; else was = first;
        if (was == 5) {
            #pragma omp atomic
            lost++;
        }
        #pragma omp atomic compare capture
        { held = first == 5; if (held) first = 5; else was = first; }
        if (held) {
            #pragma omp atomic
            won++;
        }
        #pragma omp atomic compare capture
        { held = seen == i + 1000; if (held) seen = 9; }
        if (held) {
            #pragma omp atomic
            won++;
        }
    }
#else
    if (n)
        first = 5, lost = n - 1, won = n;
#endif
    return first * 1000000 + lost * 10000 + won * 100 + seen;
}

static int loops(int n)
{
    static int f[MOST], g[MOST][5];
    #pragma omp target parallel for map(tofrom: f)
#ifndef NATIVE
    #pragma omp tile sizes(4)
#endif
    for (int i = 0; i < n; i++) {
        f[i] = 0;
#ifndef NATIVE
        #pragma omp unroll partial(4)
#endif
        for (int j = 0; j < n; j++)
            f[i] += i * j % 7;
    }
    #pragma omp target teams distribute parallel for map(tofrom: g)
    for (int i = 0; i < n; i++) {
#ifndef NATIVE
        #pragma omp unroll full
#endif
        for (int j = 0; j < 5; j++)
            g[i][j] = i + j * f[0];
    }
    int all = 0;
    for (int i = 0; i < n; i++)
        all += f[i] * (i % 5 + 1) + g[i][i % 5];
    return all;
}

static int allocated(void)
{
    int sum = 0;
#ifndef NATIVE
    #pragma omp target map(tofrom: sum) uses_allocators(omp_default_mem_alloc)
#endif
    {
        int *p = omp_aligned_alloc(128, 20 * sizeof(int), omp_default_mem_alloc);
        short *q = omp_aligned_calloc(64, 10, sizeof(short), omp_default_mem_alloc);
        for (int i = 0; i < 20; i++)
            p[i] = i + q[i / 2];
        for (int i = 0; i < 20; i++)
            sum += p[i];
        omp_free(p, omp_default_mem_alloc);
        omp_free(q, omp_default_mem_alloc);
    }
    return sum;
}

int main(void)
{
    int sizes[] = {0, 1, 2, 31, MOST};
    for (int i = 0; i < 5; i++)
        printf("%d: %d %d %d\n", sizes[i], addresses(sizes[i]), compared(sizes[i]), loops(sizes[i]));
    printf("%d\n", allocated());
    return 0;
}
