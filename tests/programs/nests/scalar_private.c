/* Scalars that every iteration sets before it looks at them are private, clause or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned bits(const double *p, int n)
{
    unsigned s = 7;
    for (int i = 0; i < n; i++)
        s = s * 31 + (unsigned)(long)(p[i] * 8);
    return s;
}

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 128 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], i, j, k, round;
        double *x = malloc((size_t)(n + 1) * (n + 1) * sizeof *x);
        double *out = calloc((size_t)(n + 1) * 2, sizeof *out);
        double sum, t, product = 1, whole;
        for (i = 0; i < n * n; i++)
            x[i] = i * 7 % 32;

        /* A row's sum by lanes, set anew for each row: as in the product of a sparse matrix. */
        #pragma acc parallel loop gang copyin(x[0:n*n]) copyout(out[0:n])
        for (i = 0; i < n; i++) {
            sum = 0.0;
            #pragma acc loop vector reduction(+:sum)
            for (j = 0; j < n; j++)
                sum += x[i * n + j];
            out[i] = sum;
        }
        printf("%d rows %u\n", n, bits(out, n));

        #pragma acc kernels loop independent gang copyin(x[0:n*n]) copyout(out[0:n])
        for (i = 0; i < n; i++) {
            sum = 1.0;
            #pragma acc loop independent vector reduction(+:sum)
            for (j = 0; j < n; j++)
                sum += x[i * n + j];
            out[i] = sum;
        }
        printf("%d kernels %u\n", n, bits(out, n));

        /* No clause at all inside; set on both sides of a branch, and in a chain of conditions. */
        #pragma acc parallel loop copyin(x[0:n*n]) copyout(out[0:n])
        for (i = 0; i < n; i++) {
            if (x[i] > 9)
                t = x[i] / 2;
            else
                t = 1;
            sum = 0;
            for (j = 0; j < n; j++) {
                if (j == 7)
                    continue;
                sum += t * x[j];
            }
            switch (i % 3) {
            case 0:
                k = 5;
                break;
            case 1:
                k = 6;
                break;
            default:
                k = 7;
            }
            out[i] = sum + k + t;
        }
        printf("%d branches %u\n", n, bits(out, n));

        /* Rows that are reduced, and the sum of all: one private, one the program's. */
        product = 1;
        whole = 0;
        #pragma acc parallel loop gang copyin(x[0:n*n]) reduction(+:whole)
        for (i = 0; i < n; i++) {
            sum = 0;
            #pragma acc loop vector reduction(+:sum)
            for (j = 0; j < n; j++)
                sum += x[i * n + j];
            whole += sum;
        }
        printf("%d whole %g\n", n, whole);

        /* Handed to a function. */
        #pragma acc parallel loop copyin(x[0:n*n]) copyout(out[0:n])
        for (i = 0; i < n; i++) {
            t = 0.5 * x[i];
            out[i] = floor(t) + t;
        }
        printf("%d again %u\n", n, bits(out, n));

        /* In a loop on the host that the region runs in again and again. */
        t = 3;
        for (round = 0; round < 3; round++) {
            #pragma acc parallel loop copyin(x[0:n*n]) copy(out[0:n])
            for (i = 0; i < n; i++) {
                t = x[i] + round;
                out[i] += t * t;
            }
            t = product + n;
        }
        printf("%d rounds %u %g\n", n, bits(out, n), t);
        free(x);
        free(out);
    }
    return 0;
}
