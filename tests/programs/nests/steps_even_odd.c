// What a step does depends on its number, and on what an earlier one has found.
#include <stdio.h>

#define MOST 256

static int a[MOST], b[MOST];

static void run(int n, int steps)
{
    for (int i = 0; i < n; i++) {
        a[i] = i * 7 % 11;
        b[i] = i * 3 % 5;
    }
    int most = 0, large = 0, even = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        if (t % 2 == 0) {
            for (int i = 0; i < n; i++)
                a[i] += b[i] + t;
            even++;
        } else {
            for (int i = 0; i < n; i++)
                b[i] += 2 * a[i];
        }
        most = 0;
        for (int i = 0; i < n; i++)
            most = a[i] > most ? a[i] : most;
        if (most > 40) {
            for (int i = 0; i < n; i++)
                a[i] -= 17;
            large += most;
        }
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1L) * a[i] + b[i];
    printf("%d elements, %d steps: %ld %d %d %d\n", n, steps, sum, most, large, even);
}

int main(void)
{
    int sizes[] = {0, 1, 131, 256}, steps[] = {0, 1, 2, 7};
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 4; t++)
            run(sizes[i], steps[t]);
    return 0;
}
