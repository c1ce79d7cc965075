/* Reductions at the positions where they may stand; integers, so that the order does not show. */
#include <stdio.h>

#define ROWS 45
#define COLUMNS 77

int main(void)
{
    static int x[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            x[i][j] = (i * 31 + j * 17) % 113 - 50;

    int total = 1000;
    #pragma acc parallel loop collapse(2) reduction(+:total)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            total += x[i][j];
    printf("collapsed, with a start value: %d\n", total);

    int low = 1 << 30, high = -(1 << 30);
    #pragma acc parallel loop gang reduction(min:low) reduction(max:high)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop vector reduction(min:low) reduction(max:high)
        for (int j = 0; j < COLUMNS; j++) {
            if (x[i][j] < low)
                low = x[i][j];
            high = x[i][j] > high ? x[i][j] : high;
        }
    }
    printf("over gang and vector: %d %d\n", low, high);

    int rows[ROWS];
    #pragma acc parallel loop gang copyout(rows)
    for (int i = 0; i < ROWS; i++) {
        int sum = i;
        #pragma acc loop worker vector reduction(+:sum)
        for (int j = 0; j < COLUMNS; j++)
            sum += x[i][j];
        rows[i] = sum;
    }
    for (int i = 0; i < ROWS; i++)
        printf("%d%c", rows[i], i % 15 == 14 ? '\n' : ' ');

    unsigned long long product = 1;
    #pragma acc parallel loop reduction(*:product)
    for (int i = 0; i < 500; i++)
        product *= 2ull * i + 1;
    printf("product modulo 2^64: %llu\n", product);

    long count = 0;
    #pragma acc kernels
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (x[i][j] > 0)
                count++;
    printf("found by the compiler: %ld\n", count);

    int none = 5;
    #pragma acc parallel loop reduction(+:none)
    for (int i = 0; i < 0; i++)
        none += i;
    printf("over no iteration: %d\n", none);
    return 0;
}
