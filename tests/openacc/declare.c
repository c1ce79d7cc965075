/* declare (OpenACC 3.3 2.13): at file scope, in a function, on a parameter. */
#include <stdio.h>

#define N 64

int table[N];
int scale = 3;
int counter;
double resident[N];
float *later;
#pragma acc declare copyin(table, scale)
#pragma acc declare create(counter)
#pragma acc declare device_resident(resident) create(later)
int large[N];
#pragma acc declare link(large)

static int scaled(int value)
{
    return value * scale;
}
#pragma acc routine(scaled) seq

static int with_clauses(int n, const int *in, int *out)
{
    int local[4] = {1, 2, 3, 4};
    #pragma acc declare copyin(in[0:n]) copy(out[0:n])
    #pragma acc declare copy(local)
    if (n == 0)
        return 0;
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        out[i] += in[i] + local[i % 4];
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        local[i] *= 2;
    #pragma acc update self(local)
    return local[0] + local[3];
}

int main(void)
{
    for (int i = 0; i < N; i++)
        table[i] = i;
    #pragma acc update device(table)
    scale = 4;
    #pragma acc update device(scale)
    int out[N];
    #pragma acc parallel loop copyout(out)
    for (int i = 0; i < N; i++)
        out[i] = scaled(table[i]);
    printf("%d %d\n", out[1], out[N - 1]);

    /* A scalar of the program is shared, not private. */
    counter = 0;
    #pragma acc update device(counter)
    #pragma acc parallel loop
    for (int i = 0; i < N; i++) {
        #pragma acc atomic
        counter++;
    }
    #pragma acc update self(counter)
    printf("%d\n", counter);

    double total = 0;
    #pragma acc parallel loop
    for (int i = 0; i < N; i++)
        resident[i] = i * 0.5;
    #pragma acc parallel loop reduction(+:total)
    for (int i = 0; i < N; i++)
        total += resident[i];
    printf("%g\n", total);

    static float room[N];
    later = room;
    #pragma acc enter data create(later[0:N])
    #pragma acc parallel loop
    for (int i = 0; i < N; i++)
        later[i] = (float)i;
    #pragma acc exit data copyout(later[0:N])
    printf("%g\n", room[N - 1]);

    #pragma acc enter data copyin(large)
    #pragma acc parallel loop
    for (int i = 0; i < N; i++)
        large[i] = i + 1;
    #pragma acc exit data copyout(large)
    printf("%d\n", large[N - 1]);

    int in[N], result[N];
    for (int i = 0; i < N; i++) {
        in[i] = i;
        result[i] = 100;
    }
    int first = with_clauses(N, in, result), none = with_clauses(0, in, result);
    printf("%d %d %d %d\n", first, none, result[0], result[N - 1]);
    return 0;
}
