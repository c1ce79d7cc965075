// LU factorisation without pivoting: what a step works on gets smaller, and is empty in the last one.
#include <stdio.h>
#include <stdlib.h>

static void run(int n)
{
    double (*a)[n + 1] = calloc(n + 1, sizeof *a);
    // A product of integer triangles with ones on the diagonal factorises without rounding.
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= i && k <= j; k++)
                a[i][j] += (i == k ? 1 : (i + k) % 3 - 1) * (double)(j == k ? 1 : (j * k) % 3 - 1);
    #pragma acc kernels copy(a[0:n])
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += (i % 5 + 2 * j % 7 + 1) * a[i][j];
    printf("%d rows: %.10g\n", n, sum);
    free(a);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 31, 32};
    for (int i = 0; i < 5; i++)
        run(sizes[i]);
    return 0;
}
