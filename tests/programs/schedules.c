/* The same loops on gangs, workers and vector lanes in every arrangement, with odd sizes. */
#include <stdio.h>

#define ROWS 37
#define COLUMNS 53
#define DEPTH 5

static int cube[ROWS][COLUMNS][DEPTH];

static void print_and_clear(const char *what)
{
    long sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < DEPTH; k++) {
                sum += (long)cube[i][j][k] * ((i * COLUMNS + j) * DEPTH + k + 1);
                cube[i][j][k] = 0;
            }
    printf("%s: %ld\n", what, sum);
}

int main(void)
{
    #pragma acc parallel loop gang copy(cube)
    for (int i = 0; i < ROWS; i++) {
        #pragma acc loop worker
        for (int j = 0; j < COLUMNS; j++) {
            #pragma acc loop vector
            for (int k = 0; k < DEPTH; k++)
                cube[i][j][k] += i + j + k;
        }
    }
    print_and_clear("gang, worker, vector");

    #pragma acc parallel loop gang worker vector collapse(3) copy(cube)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < DEPTH; k++)
                cube[i][j][k] += i * j + k;
    print_and_clear("all on a collapsed loop");

    #pragma acc parallel num_gangs(7) num_workers(2) vector_length(32) copy(cube)
    {
        #pragma acc loop gang
        for (int i = 0; i < ROWS; i++) {
            int base = 3 * i;
            #pragma acc loop worker vector
            for (int j = 0; j < COLUMNS; j++)
                for (int k = 0; k < DEPTH; k++)
                    cube[i][j][k] += base + j - k;
        }
    }
    print_and_clear("sizes given, a loop within the region");

    #pragma acc parallel loop gang vector copy(cube)
    for (int i = ROWS - 1; i >= 0; i -= 2)
        for (int j = 0; j < COLUMNS; j += 3)
            cube[i][j][i % DEPTH] += i + j;
    print_and_clear("downwards, and in steps");

    #pragma acc kernels copy(cube)
    {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                cube[i][j][0] = i - j;
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 1; i < ROWS; i++)
                cube[i][j][1] = cube[i - 1][j][1] + cube[i][j][0];
    }
    print_and_clear("kernels: a parallel nest, then a chain along one dimension");

    #pragma acc serial copy(cube)
    {
        for (int i = 1; i < ROWS; i++)
            cube[i][0][0] = 2 * cube[i - 1][0][0] % 1009 + 1;
    }
    print_and_clear("serial");

    #pragma acc kernels loop independent collapse(2) copy(cube)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            #pragma acc loop seq
            for (int k = 1; k < DEPTH; k++)
                cube[i][j][k] = cube[i][j][k - 1] + i + j;
        }
    print_and_clear("kernels loop independent, seq within");

    /* Used by the directive alone. */
    int offload __attribute__((unused)) = 0;
    #pragma acc parallel loop if(offload) copy(cube)
    for (int i = 0; i < ROWS; i++)
        cube[i][1][1] = i;
    print_and_clear("if(0)");
    return 0;
}
