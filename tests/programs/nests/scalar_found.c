/* Reductions that no clause names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 1024 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        double *x = malloc((size_t)(n + 1) * sizeof *x);
        int *y = malloc((size_t)(n + 1) * sizeof *y);
        for (int i = 0; i < n; i++) {
            x[i] = i * 29 % 257 - 100;
            y[i] = i * 53 % 211 + 1;
        }
        double sum = 3, e = 1, low = 5, most = -7, product = 1;
        int count = 0, or = 1, and = -1, xor = 9, all = 4, any = 0, largest = 3;
        long wide = 1;
        short narrow = 2;
        #pragma acc parallel loop copyin(x[0:n], y[0:n])
        for (int i = 0; i < n; i++) {
            sum += x[i];
            sum -= 0.5 * y[i];
            e = fmax(e, fabs(x[i]));
            if (x[i] < low)
                low = x[i];
            most = MAX(most, x[i]);
            product = product * (i % 97 == 5 ? 2.0 : 1.0);
            if (y[i] > 100)
                count++;
            or |= y[i];
            and &= y[i] | 8;
            xor = y[i] ^ xor;
            all = all && y[i] < 300;
            any = y[i] == 54 || any;
            if (largest <= y[i]) {
                largest = y[i];
            }
            wide = 5 + (wide + y[i]);
            narrow += (short)y[i];
        }
        printf("%d: %g %g %g %g %g %d %d %d %d %d %d %d %ld %d\n", n, sum, e, low, most, product,
               count, or, and, xor, all, any, largest, wide, narrow);

        /* Over nested loops, of which one or none has a clause. */
        int m = n > 100 ? 100 : n;
        double outer = 1, inner = 2, both = 3;
        #pragma acc parallel loop gang copyin(x[0:n])
        for (int i = 0; i < m; i++) {
            outer += x[i];
            #pragma acc loop vector
            for (int j = 0; j < m; j++)
                inner += x[j];
            #pragma acc loop vector reduction(+:both)
            for (int j = 0; j < m; j++)
                both += x[j] + i;
        }
        printf("%d: %g %g %g\n", m, outer, inner, both);

        /* A loop's sum that the region itself goes on with; one that a clause shares. */
        double out[2] = { 0, 0 }, total = 1;
        #pragma acc parallel num_gangs(1) copyin(x[0:n]) copy(out) copy(total)
        {
            double part = 2;
            #pragma acc loop vector
            for (int i = 0; i < n; i++)
                part += x[i];
            out[0] = part;
            #pragma acc loop vector
            for (int i = 0; i < n; i++)
                total += x[i];
        }
        printf("%d: %g %g\n", n, out[0], total);

        double k = 2, l = 1;
        int o = 5, a = 6;
        #pragma acc kernels loop independent copyin(x[0:n])
        for (int i = 0; i < n; i++)
            k += x[i];
        #pragma acc kernels copyin(x[0:n], y[0:n])
        for (int i = 0; i < n; i++) {
            l = fmin(l, x[i]);
            o ^= y[i];
            a = a && y[i] != 1;
        }
        printf("%d: %g %g %d %d\n", n, k, l, o, a);
        free(x);
        free(y);
    }
    return 0;
}
