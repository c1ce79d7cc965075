/* Reductions on arrays, sections, elements and members (OpenACC 3.3 2.5.15). */
#include <stdio.h>

#define N 500
#define BINS 7

struct totals {
    int count;
    double sum;
};

int main(void)
{
    int keys[N];
    double values[N];
    for (int i = 0; i < N; i++) {
        keys[i] = i * 31 % BINS;
        values[i] = (i * 17 % 64) * 0.25;
    }

    /* A whole array, of several types and operators. */
    int counts[BINS] = {1, 2, 3};
    double sums[BINS] = {0.5};
    #pragma acc parallel loop reduction(+:counts, sums) copyin(keys, values) copy(counts, sums)
    for (int i = 0; i < N; i++) {
        counts[keys[i]] += 1;
        sums[keys[i]] += values[i];
    }
    for (int b = 0; b < BINS; b++)
        printf("%d %g\n", counts[b], sums[b]);

    double most[BINS], least[BINS];
    unsigned any[BINS], all[BINS], odd[BINS];
    _Bool or[BINS] = {0}, and[BINS];
    long long product[3] = {1, 1, 1};
    for (int b = 0; b < BINS; b++) {
        most[b] = -1;
        least[b] = 1000;
        any[b] = odd[b] = 0;
        all[b] = ~0u;
        and[b] = 1;
    }
    #pragma acc parallel loop reduction(max:most) reduction(min:least) copy(most, least) copyin(keys, values)
    for (int i = 0; i < N; i++) {
        int key = keys[i];
        if (values[i] > most[key])
            most[key] = values[i];
        least[key] = values[i] < least[key] ? values[i] : least[key];
    }
    #pragma acc parallel loop reduction(|:any) reduction(&:all) reduction(^:odd) \
        copy(any, all, odd) copyin(keys)
    for (int i = 0; i < N; i++) {
        any[keys[i]] |= 1u << i % 13;
        all[keys[i]] &= ~(1u << i % 11 * 2);
        odd[keys[i]] ^= (unsigned)i;
    }
    #pragma acc parallel loop reduction(||:or) reduction(&&:and) copy(or, and) copyin(keys)
    for (int i = 0; i < N; i++) {
        or[keys[i]] = or[keys[i]] || i == 77;
        and[keys[i]] = and[keys[i]] && i != 78;
    }
    #pragma acc parallel loop reduction(*:product) copy(product)
    for (int i = 1; i <= 18; i++)
        product[i % 3] *= i;
    for (int b = 0; b < BINS; b++)
        printf("%g %g %x %x %x %d %d\n", most[b], least[b], any[b], all[b], odd[b], or[b], and[b]);
    printf("%lld %lld %lld\n", product[0], product[1], product[2]);

    /* A section, of an array and of what a pointer points to. */
    int parts[10] = {0}, *p = parts;
    #pragma acc parallel loop reduction(+:parts[2:4]) copy(parts)
    for (int i = 0; i < N; i++)
        parts[2 + i % 4] += i;
    #pragma acc parallel loop reduction(+:p[0:3]) copy(p[0:10])
    for (int i = 0; i < N; i++)
        p[i % 3] += 1;
    for (int i = 0; i < 10; i++)
        printf("%d ", parts[i]);
    printf("\n");

    /* An element, and members. */
    int errors[4] = {0};
    for (int x = 0; x < 4; x++) {
        #pragma acc parallel loop reduction(+:errors[x]) copy(errors)
        for (int i = 0; i < N; i++)
            if (keys[i] == x)
                errors[x] += 1;
    }
    printf("%d %d %d %d\n", errors[0], errors[1], errors[2], errors[3]);
    struct totals totals = {5, 0.5};
    #pragma acc parallel loop reduction(+:totals.count, totals.sum) copy(totals)
    for (int i = 0; i < N; i++) {
        totals.count += 1;
        totals.sum += 0.25;
    }
    printf("%d %g\n", totals.count, totals.sum);

    /* Private to a gang, combined over its workers; and over two loops at once. */
    static double rows[20][50], means[20];
    for (int x = 0; x < 20; x++)
        for (int y = 0; y < 50; y++)
            rows[x][y] = x + y;
    double parity[2];
    #pragma acc parallel loop gang private(parity) copyin(rows) copyout(means)
    for (int x = 0; x < 20; x++) {
        parity[0] = parity[1] = 0;
        #pragma acc loop worker reduction(+:parity)
        for (int y = 0; y < 50; y++)
            parity[y % 2] += rows[x][y];
        means[x] = parity[0] - parity[1];
    }
    printf("%g %g\n", means[0], means[19]);
    int both[2] = {0, 0};
    #pragma acc parallel loop reduction(+:both) copy(both)
    for (int x = 0; x < 20; x++) {
        #pragma acc loop
        for (int y = 0; y < 50; y++)
            both[(x + y) % 2] += y;
    }
    printf("%d %d\n", both[0], both[1]);

    /* No iteration. */
    int none[2] = {3, 4};
    #pragma acc parallel loop reduction(+:none) copy(none)
    for (int i = 0; i < none[0] - 3; i++)
        none[i] += 1;
    printf("%d %d\n", none[0], none[1]);
    return 0;
}
