/* Rows of complex numbers whose length only the run time knows: each number is two elements of the buffer. */
#include <complex.h>
#include <stdio.h>

enum { MOST = 40 };

static void flat(int n, int m, float _Complex a[][m], float _Complex b[][m])
{
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = a[i][j] * 2 + b[i][m - 1 - j];
}

static void deep(int n, int m, int l, double _Complex a[n][m][l])
{
    #pragma acc kernels copy(a[0:n][0:m][0:l])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                a[i][j][k] += i + 10 * j + 100 * k * I;
}

static void product(int n, double _Complex c[restrict][n], double _Complex a[restrict][n], double _Complex b[restrict][n])
{
    #pragma acc kernels copy(c[0:n]) copyin(a[0:n], b[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = i; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

int main(void)
{
    static float _Complex a[MOST * MOST], b[MOST * MOST];
    static double _Complex x[MOST * MOST], y[MOST * MOST], z[MOST * MOST];
    const int sizes[] = {0, 1, 7, 37};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        for (int i = 0; i < MOST * MOST; i++) {
            a[i] = i % 13 - i % 7 * I;
            b[i] = i % 5 + i % 3 * I;
            x[i] = y[i] = i % 11 + i % 4 * I;
            z[i] = i % 6 - i % 9 * I;
        }
        flat(n, n + 2, (float _Complex(*)[n + 2])a, (float _Complex(*)[n + 2])b);
        deep(n / 7, 3, n, (double _Complex(*)[3][n ? n : 1])x);
        product(n, (double _Complex(*)[n ? n : 1])y, (double _Complex(*)[n ? n : 1])x, (double _Complex(*)[n ? n : 1])z);
        double sum = 0;
        for (int i = 0; i < MOST * MOST; i++)
            sum += (i % 17 + 1) * (crealf(a[i]) + 2 * cimagf(a[i]) + creal(x[i]) - 3 * cimag(x[i]) + creal(y[i]) / 64 + cimag(y[i]) / 32);
        printf("%d %.6g\n", n, sum);
    }
    return 0;
}
