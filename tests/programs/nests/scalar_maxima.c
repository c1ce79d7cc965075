/* Maxima and minima that are found, of numbers among which some are none: what C's comparisons keep is kept,
 * and a loop without a number leaves what was there. */
#include <math.h>
#include <stdio.h>

static double a[1000];
static float rows[64][40], most[64], least[64];

static void show(const char *what, double value) {
    printf("%s %s %g\n", what, value != value ? "nan" : "number", value != value ? 0.0 : value);
}

static void one(int n, double start) {
    double above = start, below = start, largest = start;
#pragma acc kernels loop
    for (int i = 0; i < n; i++)
        if (a[i] > above)
            above = a[i];
#pragma acc kernels loop
    for (int i = 0; i < n; i++)
        below = a[i] < below ? a[i] : below;
#pragma acc kernels loop
    for (int i = 0; i < n; i++)
        largest = fmax(largest, a[i]);
    printf("%d: ", n);
    show("above", above);
    show("below", below);
    show("largest", largest);
}

int main(void) {
    volatile double zero = 0;
    const double nan = zero / zero;
    const int sizes[] = {0, 1, 2, 127, 1000};
    for (int of = 0; of < 3; of++) {
        for (int i = 0; i < 1000; i++)
            a[i] = of == 2 || (of == 1 && i % 7 == 3) ? nan : i * 37 % 101 - 50;
        for (int k = 0; k < 5; k++) {
            one(sizes[k], nan);
            one(sizes[k], 3);
            one(sizes[k], -INFINITY);
        }
    }
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 40; j++)
            rows[i][j] = j == i ? nan : (i * j) % 23 - 9;
#pragma acc kernels
    for (int i = 0; i < 64; i++) {
        float so_far = rows[i][0], least_so_far = rows[i][0];
        for (int j = 1; j < 40; j++) {
            if (rows[i][j] > so_far)
                so_far = rows[i][j];
            if (rows[i][j] < least_so_far)
                least_so_far = rows[i][j];
        }
        most[i] = so_far;
        least[i] = least_so_far;
    }
    for (int i = 0; i < 64; i++) {
        show("most", most[i]);
        show("least", least[i]);
    }
    return 0;
}
