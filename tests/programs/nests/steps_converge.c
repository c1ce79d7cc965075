// A loop that ends when what the device computes says so: the largest change of a step, and a count.
#include <math.h>
#include <stdio.h>

#define MOST 256

static double a[MOST], b[MOST];

static void run(int n, int most, double small)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i * i % 29;
    double change = 1000;
    int steps = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    while (change > small && steps < most) {
        change = 0;
        for (int i = 1; i < n - 1; i++) {
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
            change = fmax(change, fabs(b[i] - a[i]));
        }
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
        steps++;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * a[i];
    printf("%d cells: %d steps, change %g, %.10g\n", n, steps, change, sum);
}

// The same with the test at the end, and a way out in the middle.
static void run_do(int n, int most, double small)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i * i % 31;
    double change;
    int steps = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    do {
        change = 0;
        for (int i = 1; i < n - 1; i++) {
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
            change = fmax(change, fabs(b[i] - a[i]));
        }
        steps++;
        if (change < small)
            break;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    } while (steps < most);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * a[i];
    printf("%d cells at least once: %d steps, change %g, %.10g\n", n, steps, change, sum);
}

int main(void)
{
    int sizes[] = {0, 1, 3, 131, 256};
    for (int i = 0; i < 5; i++) {
        run(sizes[i], 0, 1);
        run(sizes[i], 5, 0);
        run(sizes[i], 30, 8);
        run_do(sizes[i], 1, 1);
        run_do(sizes[i], 20, 8);
    }
    return 0;
}
