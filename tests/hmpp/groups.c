/* Groups of OpenHMPP's codelets: arguments that are one, variables that are resident. */
#include <stdio.h>

#define N 48

#pragma hmpp <chain> group, target=CUDA
#pragma hmpp <chain> map, args[first::out; second::in]
#pragma hmpp <chain> mapbyname, args[weights]

/* On the device as long as the program runs. */
#pragma hmpp <chain> resident
static float bias[4] = {1, 2, 3, 4};

#pragma hmpp <chain> first codelet, args[weights; in].io=in, args[out].io=out
static void first(float weights[N], float in[N], float out[N])
{
    for (int i = 0; i < N; i++)
        out[i] = weights[i] * in[i] + bias[i & 3];
}

#pragma hmpp <chain> second codelet, args[weights; in].io=in, args[result].io=out
static void second(float weights[N], float in[N], float result[N])
{
    for (int i = 0; i < N; i++)
        result[i] = in[i] - weights[N - 1 - i];
}

static float weights[N], in[N], between[N], result[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        weights[i] = i * 0.5f, in[i] = i;
    #pragma hmpp <chain> acquire
    #pragma hmpp <chain> allocate
    #pragma hmpp <chain> first advancedload, args[weights; in]
    #pragma hmpp <chain> first callsite, args[weights; in].advancedload=true, &
    #pragma hmpp & args[out].noupdate=true, asynchronous
    first(weights, in, between);
    #pragma hmpp <chain> first synchronize
    #pragma hmpp <chain> second callsite, args[weights; in].noupdate=true
    second(weights, between, result);
    printf("%g %g\n", result[0], result[N - 1]);

    bias[0] = 100;
    #pragma hmpp <chain> first advancedload, args[::bias]
    #pragma hmpp <chain> first callsite, args[weights; in].advancedload=true
    first(weights, in, between);
    #pragma hmpp <chain> second callsite, args[weights; in].advancedload=true
    second(weights, between, result);
    #pragma hmpp <chain> first delegatedstore, args[out]
    printf("%g %g %g\n", result[0], result[N - 1], between[4]);
    #pragma hmpp <chain> synchronize
    #pragma hmpp <chain> release

    /* Without it, everything moves at the call again. */
    weights[0] = 7;
    #pragma hmpp <chain> second callsite
    second(weights, between, result);
    printf("%g %g\n", result[0], result[N - 1]);
    return 0;
}
