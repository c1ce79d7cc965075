/* Atomic statements that compare (OpenMP 5.2 15.8.4); arrays of which the program has the device's address, and of which
   the last iteration's is kept (5.4.5, 5.4.9). */
#include <stdio.h>

#define MOST 1003

static int a[MOST];

static void compared(int n)
{
    int most = -1, least = 1 << 20, first = -1, changes = 0, old = 0, sum = 0;
    double top = -1;
    unsigned char narrow = 200;
    for (int i = 0; i < n; i++)
        a[i] = i * 37 % 501;
    #pragma omp target parallel for map(to: a) map(tofrom: most, least, top, narrow)
    for (int i = 0; i < n; i++) {
#ifndef NATIVE
        #pragma omp atomic compare
#endif
        if (a[i] > most)
            most = a[i];
#ifndef NATIVE
        #pragma omp atomic compare
#endif
        least = a[i] < least ? a[i] : least;
#ifndef NATIVE
        #pragma omp atomic compare
#endif
        if (top < a[i] * 0.5) { top = a[i] * 0.5; }
#ifndef NATIVE
        #pragma omp atomic compare
#endif
        if (narrow > a[i] % 256) narrow = a[i] % 256;
    }
#ifdef NATIVE
    /* Without `compare`, the loop above races. */
    most = -1, least = 1 << 20, top = -1, narrow = 200;
    for (int i = 0; i < n; i++) {
        most = a[i] > most ? a[i] : most;
        least = a[i] < least ? a[i] : least;
        top = top < a[i] * 0.5 ? a[i] * 0.5 : top;
        narrow = narrow > a[i] % 256 ? a[i] % 256 : narrow;
    }
    first = n ? 5 : -1, changes = n ? 1 : 0, old = n ? -1 : 0, sum = n > 1 ? n - 1 : 0;
#else
    #pragma omp target parallel for map(tofrom: first, changes, old, sum)
    for (int i = 0; i < n; i++) {
        int was;
        #pragma omp atomic compare capture
        { was = first; if (first == -1) first = 5; }
        if (was == -1) {
            #pragma omp atomic
            changes++;
            old = was;
        } else {
            #pragma omp atomic
            sum++;
        }
    }
#endif
    printf("%d: %d %d %g %d %d %d %d %d\n", n, most, n ? least : 0, top, narrow, first, changes, old, sum);
}

static void arrays(int n)
{
    int last[3] = {-1, -2, -3};
    #pragma omp target teams distribute lastprivate(last) map(to: a)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            last[j] = 10 * i + j;
#ifndef NATIVE
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target data use_device_addr(a)
        {
            #pragma omp target has_device_addr(a)
            for (int i = 0; i < n; i++)
                a[i] = 3 * i;
        }
    }
#else
    for (int i = 0; i < n; i++)
        a[i] = 3 * i;
#endif
    printf("%d: %d %d\n", n, n ? last[0] + last[2] : 0, n ? a[n - 1] : 0);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 33, MOST};
    for (int i = 0; i < 5; i++) {
        compared(sizes[i]);
        arrays(sizes[i]);
    }
    return 0;
}
