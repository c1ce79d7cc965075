/* Updates of elements whose numbers come out of memory, in loops that are declared independent. */
#include <stdio.h>
#include <stdlib.h>

struct cell {
    int count;
    double weight;
};

static void add_to(double *to, const int *which, int i, double value)
{
    int at = which[i];
    to[at] += value;
}

int main(void)
{
    static const int sizes[] = { 0, 1, 97, 512 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], bins = 7;
        int *which = malloc((size_t)(n + 1) * sizeof *which);
        int *count = calloc((size_t)bins, sizeof *count);
        double *sum = calloc((size_t)bins, sizeof *sum), *left = calloc((size_t)bins, sizeof *left);
        unsigned *bits = calloc((size_t)bins, sizeof *bits);
        double rows[3][7] = { { 0 } };
        struct cell *cells = calloc((size_t)bins, sizeof *cells);
        for (int i = 0; i < n; i++)
            which[i] = i * 31 % bins;
        #pragma acc parallel loop copyin(which[0:n]) copy(count[0:bins], sum[0:bins], bits[0:bins])
        for (int i = 0; i < n; i++) {
            int b = which[i];
            count[b]++;
            sum[which[i]] += 0.5 * i;
            bits[(b + 1) % bins] |= 1u << (i % 32);
        }
        #pragma acc kernels loop independent copyin(which[0:n]) copy(left[0:bins], rows)
        for (int i = 0; i < n; i++) {
            left[which[i]] -= i;
            rows[i % 3][which[i]] = rows[i % 3][which[i]] + 2;
        }
        #pragma acc parallel loop copyin(which[0:n]) copy(cells[0:bins])
        for (int i = 0; i < n; i++) {
            cells[which[i]].count += 3;
            cells[which[i]].weight += 0.25;
        }
        #pragma acc parallel loop copyin(which[0:n]) copy(sum[0:bins])
        for (int i = 0; i < n; i++)
            add_to(sum, which, i, 1.5);
        /* An iteration's own array needs no care. */
        int seen = 0;
        #pragma acc parallel loop copyin(which[0:n]) reduction(+:seen)
        for (int i = 0; i < n; i++) {
            int own[7] = { 0 };
            for (int j = 0; j <= i % 20; j++)
                own[which[j]] += 1;
            seen += own[3];
        }
        for (int b = 0; b < bins; b++)
            printf("%d %d: %d %g %g %u %g %d %g %d\n", n, b, count[b], sum[b], left[b], bits[b],
                   rows[b % 3][b], cells[b].count, cells[b].weight, seen);
        free(which);
        free(count);
        free(sum);
        free(left);
        free(bits);
        free(cells);
    }
    return 0;
}
