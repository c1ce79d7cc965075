// Gram and Schmidt's way: a norm that the next loops divide by, and columns that are left made orthogonal.
#include <stdio.h>
#include <stdlib.h>

static void run(int m, int n)
{
    double (*a)[n + 1] = calloc(m + 1, sizeof *a), (*r)[n + 1] = calloc(n + 1, sizeof *r);
    double last = -1;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = (i + j * j) % 4 - 1;
    #pragma acc kernels copy(a[0:m], r[0:n], last)
    for (int k = 0; k < n; k++) {
        double norm = 0;
        for (int i = 0; i < m; i++)
            norm += a[i][k] * a[i][k];
        // A power of two, so that nothing is rounded.
        double scale = 1;
        while (scale * scale < norm)
            scale *= 2;
        last = scale;
        for (int i = 0; i < m; i++)
            a[i][k] = a[i][k] / scale;
        for (int j = k + 1; j < n; j++) {
            double dot = 0;
            for (int i = 0; i < m; i++)
                dot += a[i][k] * a[i][j];
            r[k][j] = dot;
        }
        for (int j = k + 1; j < n; j++)
            for (int i = 0; i < m; i++)
                a[i][j] -= a[i][k] * (r[k][j] > 0 ? 0.5 : 0.25);
    }
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            sum += (i % 5 + 2 * j % 7 + 1) * a[i][j];
    printf("%dx%d: %.10g %g\n", m, n, sum, last);
    free(a);
    free(r);
}

int main(void)
{
    int sizes[][2] = {{0, 0}, {1, 1}, {5, 1}, {131, 5}, {128, 4}};
    for (int i = 0; i < 5; i++)
        run(sizes[i][0], sizes[i][1]);
    return 0;
}
