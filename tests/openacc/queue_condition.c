/* A construct in a queue whose host decides by what its own kernels have computed (OpenACC 3.3 2.5.2, 2.16.1): by an element in a condition, by one that
   is a loop's end, and in a loop of the host. */
#include <stdio.h>

#define N 28

static int a[N], b[N], end[1];

static void start(void)
{
    for (int i = 0; i < N; i++)
        a[i] = b[i] = end[0] = 0;
}

static void show(const char *what)
{
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = 31 * sum + 7 * a[i] + b[i];
    printf("%s %u %d %d\n", what, sum, a[2], b[2]);
}

static void condition(int n)
{
    #pragma acc kernels async
    {
        for (int i = 0; i < N; i++)
            a[i] = i + 5;
        if (a[3] > 7) {
            for (int i = 0; i < n; i++)
                b[i] = a[i] + 1;
        }
        for (int i = 0; i < n; i++)
            a[i] += b[i];
    }
    #pragma acc wait
}

static void length(void)
{
    #pragma acc kernels async(3)
    {
        for (int i = 0; i < N; i++)
            a[i] = i % 11;
        for (int i = 0; i < a[9] + a[8]; i++)
            b[i] = a[i] * 2;
    }
    #pragma acc wait(3)
}

static void rounds(int n)
{
    #pragma acc kernels async(1)
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < n; i++)
            a[i] += i + t;
        if (a[4] % 2 == 1)
            for (int i = 0; i < n; i++)
                b[i] += a[n - 1 - i];
    }
    #pragma acc wait
}

int main(void)
{
    for (int n = 0; n <= N; n += 14) {
        start();
        condition(n);
        show("condition");
        start();
        rounds(n);
        show("rounds");
    }
    start();
    length();
    show("length");
    return 0;
}
