/* routine (OpenACC 3.3 2.15.1): levels, named form, bind, nohost. */
#include <stdio.h>

#define N 40
#define M 30

#pragma acc routine seq
static int square(int x)
{
    return x * x;
}

#pragma acc routine vector
static void add_row(int *row, int n, int value)
{
    #pragma acc loop vector
    for (int j = 0; j < n; j++)
        row[j] += value;
}

#pragma acc routine worker nohost
void scale_rows(int *rows, int n, int m, int by);

void scale_rows(int *rows, int n, int m, int by)
{
    #pragma acc loop worker
    for (int i = 0; i < n; i++) {
        #pragma acc loop vector
        for (int j = 0; j < m; j++)
            rows[i * m + j] *= by;
    }
}

#pragma acc routine gang
static void fill(int *values, int n)
{
    #pragma acc loop gang vector
    for (int i = 0; i < n; i++)
        values[i] = square(i);
}

static int on_device(int x);
static int anywhere(int x);
#pragma acc routine(on_device) seq
#pragma acc routine(anywhere) seq bind(on_device)

static int on_device(int x)
{
    return x + 1;
}

/* What the host calls by the name of both. */
static int anywhere(int x)
{
    return 1 + x;
}

#pragma acc routine seq device_type(nvidia) bind("on_device")
static int named(int x)
{
    return x + 1;
}

int main(void)
{
    static int values[N * M];
    #pragma acc parallel copy(values)
    fill(values, N * M);
    printf("%d\n", values[N * M - 1]);

    #pragma acc parallel loop gang copy(values)
    for (int i = 0; i < N; i++)
        add_row(values + i * M, M, i);
    printf("%d %d\n", values[0], values[N * M - 1]);

    #pragma acc parallel loop gang copy(values)
    for (int i = 0; i < N; i += 10)
        scale_rows(values + i * M, 10, M, 2);
    printf("%d %d\n", values[1], values[N * M - 1]);

    #pragma acc parallel loop copy(values)
    for (int i = 0; i < N; i++)
        values[i] = anywhere(i) + named(i);
    printf("%d %d\n", values[0], values[N - 1]);
    return 0;
}
