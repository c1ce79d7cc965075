/* Grids whose border is left out, copied or reflected by conditions. */
#include <stdio.h>
#include <stdlib.h>
static void blur(int n, int m, const unsigned char *restrict x, unsigned char *restrict y)
{
#pragma acc parallel loop collapse(2) copyin(x[0 : n * m]) copy(y[0 : n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (i >= 2 && i < n - 2 && j >= 2 && j < m - 2) {
                int s = 0;
                for (int di = -2; di <= 2; di++)
                    for (int dj = -2; dj <= 2; dj++)
                        s += x[(i + di) * m + j + dj];
                y[i * m + j] = s / 25;
            }
        }
}
static void border(int n, int m, const float *restrict x, float *restrict y)
{
#pragma acc kernels copyin(x[0 : n * m]) copyout(y[0 : n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (i == 0 || i == n - 1 || j == 0 || j == m - 1)
                y[i * m + j] = x[i * m + j];
            else
                y[i * m + j] =
                    0.25f * (x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] + x[i * m + j + 1]);
        }
}
static void hot(int n, int m, const float *restrict t, const float *restrict p, float *restrict o)
{
#pragma acc kernels copyin(t[0 : n * m], p[0 : n * m]) copyout(o[0 : n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float c = t[i * m + j], a = p[i * m + j];
            if (i > 0)
                a += t[(i - 1) * m + j] - c;
            if (i < n - 1)
                a += t[(i + 1) * m + j] - c;
            if (j > 0)
                a += t[i * m + j - 1] - c;
            if (j < m - 1)
                a += t[i * m + j + 1] - c;
            o[i * m + j] = c + 0.1f * a;
        }
}
static void steps(int n, int T, float *a, float *b)
{
#pragma acc kernels copy(a[0 : n], b[0 : n])
    for (int t = 0; t < T; t++) {
        if (t > 2)
            for (int i = 1; i < n - 1; i++)
                b[i] = a[i - 1] + a[i + 1];
        if (t < T - 1)
            for (int i = 0; i < n; i++)
                a[i] = b[i] * 0.5f;
    }
}
int main(void)
{
    int ns[] = {0, 1, 2, 5, 6, 40, 77};
    for (int q = 0; q < 7; q++)
        for (int r = 0; r < 7; r++) {
            int n = ns[q], m = ns[r];
            unsigned char *x = calloc(n * m + 1, 1), *y = calloc(n * m + 1, 1);
            float *f = calloc(n * m + 1, 4), *g = calloc(n * m + 1, 4), *h = calloc(n * m + 1, 4);
            for (int i = 0; i < n * m; i++) {
                x[i] = i * 7919 % 251;
                f[i] = i % 13;
                h[i] = i % 7;
            }
            blur(n, m, x, y);
            border(n, m, f, g);
            double s = 0;
            for (int i = 0; i < n * m; i++)
                s += y[i] * (i % 5 + 1) + g[i] * (i % 3);
            hot(n, m, f, h, g);
            for (int i = 0; i < n * m; i++)
                s += g[i] * (i % 11);
            steps(n * m, q, f, g);
            for (int i = 0; i < n * m; i++)
                s += f[i] + g[i] * (i % 11);
            printf("%d %d %.6g\n", n, m, s);
            free(x);
            free(y);
            free(f);
            free(g);
            free(h);
        }
    return 0;
}
