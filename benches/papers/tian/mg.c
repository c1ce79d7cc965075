/* A residual of MG's grid, for the read-only cache of Tian et al. 2015.  Usage: mg [n]
   POINTER is what pointers are, READS the clause of what is only read, LOOP what is said of the planes. */
#include "../../../examples/check.h"

#ifndef POINTER
#define POINTER *restrict
#endif
#ifndef MARK
#define MARK
#endif
#ifndef READS
#define READS copyin
#endif

static void residual(int n, const float POINTER u, const float POINTER v, float POINTER r)
{
    #pragma acc kernels READS(MARK u[0:n*n*n], v[0:n*n*n]) copy(r[0:n*n*n])
#ifdef LOOP
    #pragma acc loop LOOP
#endif
    for (int i = 1; i < n - 1; i++)
#ifdef LOOP
        #pragma acc loop LOOP
#endif
        for (int j = 1; j < n - 1; j++)
#ifdef LOOP
            #pragma acc loop LOOP
#endif
            for (int k = 1; k < n - 1; k++) {
                int at = (i * n + j) * n + k;
                float next = u[at - 1] + u[at + 1] + u[at - n] + u[at + n] + u[at - n * n] + u[at + n * n];
                r[at] = v[at] + 2.5f * u[at] - 0.375f * next;
            }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 37);
    size_t count = (size_t)n * n * n;
    float *u = allocate(count, sizeof *u), *v = allocate(count, sizeof *v), *r = allocate(count, sizeof *r);
    for (size_t at = 0; at < count; at++) {
        u[at] = (float)sample(2 * (unsigned)at);
        v[at] = (float)sample(2 * (unsigned)at + 1);
    }
    residual(n, u, v, r);
    double worst = 0;
    size_t side = n;
    for (size_t i = 1; i + 1 < side; i++)
        for (size_t j = 1; j + 1 < side; j++)
            for (size_t k = 1; k + 1 < side; k++) {
                size_t at = (i * side + j) * side + k;
                double next = (double)u[at - 1] + u[at + 1] + u[at - side] + u[at + side] + u[at - side * side]
                              + u[at + side * side];
                worst = fmax(worst, fabs(r[at] - (v[at] + 2.5 * u[at] - 0.375 * next)));
            }
    printf("mg %d: error %.1e\n", n, worst);
    free(u);
    free(v);
    free(r);
    return !(worst <= 1e-5);
}
