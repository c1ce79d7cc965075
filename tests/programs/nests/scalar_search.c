/* Where the greatest and least are: the first or the last of equal ones, as the comparison has it; nowhere if none is
 * better than what was there before, or none is a number. */
#include <math.h>
#include <stdio.h>

static double x[5000];
static int k[5000];

static void run(int n, double start)
{
    double least = start, most = start, last_least = start, last_most = start;
    int at_least = -1, at_most = -2, at_last_least = -3, at_last_most = -4;
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] < least) {
            least = x[i];
            at_least = i;
        }
        if (x[i] > most) {
            most = x[i];
            at_most = i;
        }
    }
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] <= last_least) {
            last_least = x[i];
            at_last_least = i;
        }
        if (x[i] >= last_most) {
            last_most = x[i];
            at_last_most = 3 * i + 1;
        }
    }
    int small = 50, at_small = -1;
    unsigned large = 50;
    long at_large = -1;
#pragma acc kernels
    for (int i = n - 1; i >= 0; i--)
        if (k[i] < small) {
            small = k[i];
            at_small = i;
        }
#pragma acc kernels
    for (int i = 0; i < n; i += 3)
        if ((unsigned)k[i] >= large) {
            large = (unsigned)k[i];
            at_large = i;
        }
    // Zeros of two signs are not told apart.
    printf("%d %g: %g %d %g %d ", n, start, least + 0.0, at_least, most + 0.0, at_most);
    printf("%g %d %g %d ", last_least + 0.0, at_last_least, last_most + 0.0, at_last_most);
    printf("%d %d %u %ld\n", small, at_small, large, at_large);
}

int main(void)
{
    volatile double zero = 0;
    const int sizes[] = {0, 1, 2, 31, 128, 129, 5000}, cycles[] = {5003, 17, 40, 2};
    for (int of = 0; of < 4; of++) {
        for (int i = 0; i < 5000; i++) {
            x[i] = i * 7919 % cycles[of] - 8;
            k[i] = i * 7919 % 101 - 40;
            if (of == 2 && i % 5 == 3)
                x[i] = zero / zero;
            if (of == 3)
                x[i] = i % 2 ? 0.0 : -0.0;
        }
        const double starts[] = {3, -8, zero / zero, -INFINITY, INFINITY};
        for (int s = 0; s < 7; s++)
            for (int j = 0; j < 5; j++)
                run(sizes[s], starts[j]);
    }
    return 0;
}
