/* The same loops in combined and in separate constructs (OpenMP 5.2 17; Hayashi et al. 2019, 3.2.1): they become the same
   kernels, which `tests/tests/families.rs` compares. */
#include <stdio.h>

#define MOST 70

static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
static double sums[2];

static void add_combined(int n)
{
    #pragma omp target teams distribute parallel for map(to: a, b) map(from: c)
    for (int i = 0; i < n; i++)
        c[i] = a[i] + 2 * b[i];
}

static void add_separate(int n)
{
    #pragma omp target map(to: a, b) map(from: c)
    #pragma omp teams
    #pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
        c[i] = a[i] + 2 * b[i];
}

static void product_combined(int n)
{
    #pragma omp target teams distribute parallel for collapse(2) map(to: a, b) map(from: c)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

static void product_separate(int n)
{
    #pragma omp target map(to: a, b) map(from: c)
    {
        #pragma omp teams distribute parallel for collapse(2)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int k = 0; k < n; k++)
                    sum += a[i * n + k] * b[k * n + j];
                c[i * n + j] = sum;
            }
    }
}

static double sum_combined(int n)
{
    double sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: a) map(tofrom: sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

static double sum_separate(int n)
{
    double sum = 0;
    #pragma omp target map(to: a) map(tofrom: sum)
    #pragma omp teams distribute parallel for reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

static double total(int n)
{
    double all = 0;
    for (int i = 0; i < n; i++)
        all += (i % 7 + 1) * c[i];
    return all;
}

int main(void)
{
    int sizes[] = {0, 1, 2, 31, MOST};
    for (int i = 0; i < MOST * MOST; i++) {
        a[i] = i % 5;
        b[i] = i % 3;
    }
    for (int i = 0; i < 5; i++) {
        int n = sizes[i];
        add_combined(n);
        double first = total(n);
        add_separate(n);
        double second = total(n);
        product_combined(n);
        double third = total(n * n);
        product_separate(n);
        sums[0] = sum_combined(n);
        sums[1] = sum_separate(n);
        printf("%d: %g %g %g %g %g %g\n", n, first, second, third, total(n * n), sums[0], sums[1]);
    }
    return 0;
}
