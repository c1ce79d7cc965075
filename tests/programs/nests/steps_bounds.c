// Bounds of loops of the host that the device has to tell, and that one step changes for the next.
#include <stdio.h>

#define MOST 300

static int a[MOST], limits[4];

static void run(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = i * 5 % 9;
    for (int i = 0; i < 4; i++)
        limits[i] = i;
    int width = 1, steps = 3, largest = 0;
    #pragma acc kernels copy(a[0:n], limits, width, steps)
    {
        // Found on the device, used by the host.
        for (int i = 0; i < n; i++)
            largest = a[i] > largest ? a[i] : largest;
        for (int t = 0; t < largest - 5; t++)
            for (int i = 0; i < n; i++)
                a[i] += t;
        // Doubling: as many steps as it takes.
        while (width < n) {
            for (int i = 0; i < width; i++)
                a[i] += width;
            width *= 2;
        }
        steps += limits[2];
        for (int t = 0; t < steps; t++)
            for (int i = t; i < n; i++)
                a[i] ^= t;
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1L) * a[i];
    printf("%d elements: %ld %d %d %d\n", n, sum, width, steps, largest);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 131, 256};
    for (int i = 0; i < 5; i++)
        run(sizes[i]);
    return 0;
}
