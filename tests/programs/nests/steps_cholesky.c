// A Cholesky factorisation that looks right: a root, a column, and the triangle that is left.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void run(int n)
{
    double (*a)[n + 1] = calloc(n + 1, sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= i && k <= j; k++)
                a[i][j] += (i == k ? 2 : (i + k) % 3 - 1) * (double)(j == k ? 2 : (j + k) % 3 - 1);
    #pragma acc kernels copy(a[0:n])
    for (int k = 0; k < n; k++) {
        a[k][k] = sqrt(a[k][k]);
        for (int i = k + 1; i < n; i++)
            a[i][k] /= a[k][k];
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                a[i][j] -= a[i][k] * a[j][k];
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            sum += (i % 5 + 2 * j % 7 + 1) * a[i][j];
    printf("%d rows: %.10g\n", n, sum);
    free(a);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 29, 32};
    for (int i = 0; i < 5; i++)
        run(sizes[i]);
    return 0;
}
