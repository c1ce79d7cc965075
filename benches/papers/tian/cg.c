/* The product of CG's sparse matrix and a vector, for the read-only cache of Tian et al. 2015.  Usage: cg [rows]
   POINTER is what pointers are, READS the clause of what is only read, LOOP what is said of rows. */
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

/* Row `i` has the elements `first[i]` to `first[i + 1]`. */
static void product(int rows, int count, const int POINTER first, const int POINTER column, const float POINTER a,
                    const float POINTER x, float POINTER y)
{
    #pragma acc kernels READS(MARK first[0:rows+1], column[0:count], a[0:count], x[0:rows]) copyout(y[0:rows])
#ifdef LOOP
    #pragma acc loop LOOP
#endif
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int at = first[i]; at < first[i + 1]; at++)
            sum += a[at] * x[column[at]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int rows = size_argument(argc, argv, 1, 301);
    int *first = allocate((size_t)rows + 1, sizeof *first);
    for (int i = 0; i < rows; i++)
        first[i + 1] = first[i] + (int)(mixed_bits((unsigned)i) % 15);
    int count = first[rows];
    int *column = allocate(count, sizeof *column);
    float *a = allocate(count, sizeof *a), *x = allocate(rows, sizeof *x), *y = allocate(rows, sizeof *y);
    for (int at = 0; at < count; at++) {
        column[at] = (int)(mixed_bits((unsigned)at) % (unsigned)rows);
        a[at] = (float)sample(2 * (unsigned)at);
    }
    for (int i = 0; i < rows; i++)
        x[i] = (float)sample(2 * (unsigned)i + 1);
    product(rows, count, first, column, a, x, y);
    double worst = 0;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int at = first[i]; at < first[i + 1]; at++)
            sum += (double)a[at] * x[column[at]];
        worst = fmax(worst, relative_error(y[i], sum));
    }
    printf("cg %d: relative error %.1e\n", rows, worst);
    free(first);
    free(column);
    free(a);
    free(x);
    free(y);
    return !(worst <= 1e-5);
}
