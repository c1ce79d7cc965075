// A scalar that iterations add to is a reduction only if nobody looks at what it is on the way.
#include <stdio.h>

#define N 300

static int a[N], out[N];

static void clear(void)
{
    for (int i = 0; i < N; i++)
        out[i] = 0;
}

static void show(const char *name, int value)
{
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 3 + out[i];
    printf("%s: %d %d\n", name, value, sum);
    clear();
}

static int add(int *total, int x)
{
    *total += x;
    return *total;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i * i % 17;
    int sum = 0, other = 0, most = -1;

    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        sum += a[i];
        out[i] = sum;
    }
    show("after", sum);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        out[i] = sum;
        sum += a[i];
    }
    show("before", sum);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        sum += a[i];
        if (sum > 500)
            out[i] = 5;
    }
    show("compared", sum);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        int now = sum += a[i];
        out[i] = now % 7;
    }
    show("value of the assignment", sum);

    sum = other = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        sum += a[i];
        other += sum;
    }
    show("sum of sums", sum + other);

    sum = other = 0;
    #pragma acc kernels loop
    for (int i = 0; i < N; i++) {
        sum += a[i];
        other = sum;
    }
    show("copied", sum - other);

    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        if (a[i] > most)
            most = a[i];
        out[i] = most;
    }
    show("maximum so far", most);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++)
            sum += a[i] * j;
        out[i] = sum;
    }
    show("inner loop", sum);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++)
        out[i] = add(&sum, a[i]);
    show("function", sum);

    sum = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++)
        if (a[i] > 8)
            out[sum++] = i;
    show("packed", sum);

    sum = 0;
    #pragma acc parallel copy(sum)
    {
        #pragma acc loop auto
        for (int i = 0; i < N; i++) {
            sum += a[i];
            out[i] = sum;
        }
    }
    show("auto", sum);

    // These are reductions.
    sum = other = 0;
    #pragma acc kernels
    for (int i = 0; i < N; i++) {
        sum += a[i];
        if (a[i] % 2)
            other -= a[i];
    }
    show("reductions", sum * 1000 + other);
    return 0;
}
