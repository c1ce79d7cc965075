// Whether a nest is worth it, by its size; what GPUC_AUTO and GPUC_NOTIFY say.
// RUN: gpuc --auto %s -o %t
// RUN: env GPUC_DEVICE=sim GPUC_AUTO=none GPUC_NOTIFY=1 %t 10 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: env GPUC_DEVICE=sim GPUC_AUTO=none GPUC_NOTIFY=1 %t 300 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: env GPUC_DEVICE=sim GPUC_AUTO=all GPUC_NOTIFY=1 %t 10 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: env GPUC_DEVICE=sim GPUC_NOTIFY=1 %t 10 2>&1 | FileCheck %s --check-prefix=MODEL

#include <stdio.h>
#include <stdlib.h>

static void product(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    double *a = calloc((size_t)n * n, sizeof *a), *c = calloc((size_t)n * n, sizeof *c);
    a[0] = 3;
    product(n, a, a, c);
    /* Overlapping: nothing but the host will do. */
    product(n / 2, a, a, a + 1);
    printf("%g\n", c[0]);
    free(a);
    free(c);
    return 0;
}

// SMALL: auto-run.c:13: this nest of `product` runs on the host: GPUC_AUTO=none, and it is not worth it: {{.*}} us there and {{.*}} us for moving {{.*}} bytes, {{.*}} us here
// SMALL: this nest of `product` runs on the host: what it writes and what it uses overlap
// SMALL: 9
// LARGE: auto-run.c:13: this nest of `product` runs on the host: GPUC_AUTO=none, where it is worth it:
// ALL: auto-run.c:13: this nest of `product` runs on the device: asked for
// ALL: this nest of `product` runs on the host: what it writes and what it uses overlap
// ALL: 9
// MODEL: auto-run.c:13: this nest of `product` runs on the host: {{.*}} us there
// MODEL: 9
