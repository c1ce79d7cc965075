// Sequential loops in sequential loops, with scalars that cross from step to step, from the device to the host, and out.
#include <stdio.h>

#define MOST 256

static int a[MOST], b[MOST];

static void run(int n, int outer, int inner)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i * 7 % 11;
    int sum = 0, before = 0, count = 0, x = 1, y = 2;
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < outer; t++) {
        int part = 0;
        for (int i = 0; i < n; i++)
            part += a[i];
        sum += part;
        for (int u = t; u < t + inner; u += 2) {
            before = sum;
            for (int i = 0; i < n; i++)
                b[i] = b[i] / 2 + before % 13 + u;
            int most = 0;
            for (int i = 0; i < n; i++)
                most = b[i] > most ? b[i] : most;
            sum = most;
            // Each has what the other had.
            int z = x;
            x = y + most;
            y = z;
            if (u % 2 == 1) {
                for (int i = 0; i < n; i++)
                    a[i] += x;
                count++;
            }
        }
        for (int i = 0; i < n; i++)
            a[i] = b[n - 1 - i] % 7;
    }
    long total = 0;
    for (int i = 0; i < n; i++)
        total += (i + 1L) * a[i] + b[i];
    printf("%d elements, %dx%d: %ld %d %d %d %d %d\n", n, outer, inner, total, sum, before, count, x, y);
}

int main(void)
{
    int sizes[] = {0, 1, 131, 256};
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 4; t++)
            for (int u = 0; u < 6; u += 2)
                run(sizes[i], t, u + t % 2);
    return 0;
}
