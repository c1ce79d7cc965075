/* Clamped, wrapped and chosen subscripts of pointers in no clause: what they reach is moved. */
#include <stdio.h>
#include <stdlib.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static void blur(int n, int m, const float *x, float *y)
{
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    int a = MIN(MAX(i + di, 0), n - 1), b = MIN(MAX(j + dj, 0), m - 1);
                    s += x[a * m + b];
                }
            y[i * m + j] = s / 8;
        }
}

static void window(int n, int r, const float *x, float *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int d = -r; d <= r; d++) {
            int a = i + d;
            if (a < 0)
                a = 0;
            if (a >= n)
                a = n - 1;
            s += x[a];
        }
        y[i] = s;
    }
}

static void ring(int n, const float *x, float *y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        int up = i == n - 1 ? 0 : i + 1, down = i == 0 ? n - 1 : i - 1;
        y[i] = x[up] + 2 * x[down];
    }
}

static void remainders(int n, int k, const float *x, float *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        y[i] = x[(i + 1) % n] + x[(i * 3 + k) % n] + x[(i + n - 1) % n] + x[n - 1 + (i - n + 1) % n];
}

static void border(int n, int m, const float *x, float *y)
{
#pragma acc kernels loop independent collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float c = x[i * m + j];
            y[i * m + j] = (i > 0 ? x[(i - 1) * m + j] : c) + (i < n - 1 ? x[(i + 1) * m + j] : c) +
                           (j > 0 ? x[i * m + j - 1] : c) + (j < m - 1 ? x[i * m + j + 1] : c);
        }
}

static void pick(int n, const int *which, const float *x, float *y)
{
#pragma acc parallel loop copyin(which[0:n])
    for (int i = 0; i < n; i++) {
        int at = which[i] ? i : n - 1 - i;
        y[i] = x[at];
    }
}

static void deal(int n, const float *x, float *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        int to = i < n / 2 ? 2 * i : 2 * (i - n / 2) + 1;
        y[to] = x[i];
    }
}

static void show(const char *what, int n, int m, const float *y)
{
    double sum = 0;
    for (int i = 0; i < n * m; i++)
        sum += y[i] * (i % 7 + 1);
    printf("%s %d %d: %g\n", what, n, m, sum);
}

int main(void)
{
    const int ns[] = {0, 1, 2, 3, 17, 64}, ms[] = {1, 2, 31, 40};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 4; b++) {
            int n = ns[a], m = ms[b];
            float *x = malloc(sizeof *x * n * m + 1), *y = malloc(sizeof *y * n * m + 1);
            int *which = malloc(sizeof *which * n + 1);
            for (int i = 0; i < n * m; i++) {
                x[i] = i * 7 % 13;
                y[i] = -1;
            }
            for (int i = 0; i < n; i++)
                which[i] = i * 5 % 3;
            blur(n, m, x, y);
            show("blur", n, m, y);
            window(n, b + 1, x, y);
            show("window", n, m, y);
            ring(n, x, y);
            show("ring", n, m, y);
            remainders(n, b, x, y);
            show("remainders", n, m, y);
            border(n, m, x, y);
            show("border", n, m, y);
            pick(n, which, x, y);
            show("pick", n, m, y);
            if (n % 2 == 0)
                deal(n, x, y);
            show("deal", n, m, y);
            free(x);
            free(y);
            free(which);
        }
    return 0;
}
