// Loops over time whose phases are worth a grid whose blocks wait for each other: stencils in turns, the wave equation, shortest ways, phases
// of different sizes beside each other, phases under a condition and in a loop of their own, two loops in queues at once.
#include "nest.h"

#define LINE 70000
#define SIDE 256

static unsigned a[SIDE * SIDE], b[SIDE * SIDE], u[3][LINE], v[LINE], w[LINE];

static void jacobi(int steps, int n, unsigned a[restrict n][n], unsigned b[restrict n][n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] + t;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = b[i][j] + 3 * b[i][j - 1] + b[i - 1][j];
    }
}

static void wave(int steps, int n)
{
    #pragma acc kernels copy(u)
    for (int t = 0; t < steps; t++) {
        int before = t % 3, now = (t + 1) % 3, next = (t + 2) % 3;
        for (int i = 1; i < n - 1; i++)
            u[next][i] = 2 * u[now][i] - u[before][i] + u[now][i - 1] + u[now][i + 1] - 2 * u[now][i];
    }
}

static void shortest(int n, unsigned way[n][n])
{
    #pragma acc kernels copy(way[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                way[i][j] = way[i][j] < way[i][k] + way[k][j] ? way[i][j] : way[i][k] + way[k][j];
}

// The mean is what decides: the phase of m iterations is done in the grid, whatever m is.
static void beside(int steps, int m, unsigned v[restrict LINE], unsigned w[restrict LINE])
{
    #pragma acc kernels copy(v[0:LINE], w[0:LINE])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < LINE; i++)
            w[i] = v[i - 1] + t;
        for (int i = 0; i < m; i++)
            v[i] += 5 * w[m - i];
        for (int i = 0; i < LINE; i++)
            v[i] = w[i] + (i & 3);
    }
}

static void sometimes(int steps, int n, unsigned v[restrict n], unsigned w[restrict n])
{
    #pragma acc kernels copy(v[0:n], w[0:n])
    for (int t = 0; t < steps; t++) {
        if (t % 3 == 1)
            for (int i = 0; i < n; i++)
                w[i] = v[n - 1 - i];
        for (int s = 0; s < t % 4; s++)
            for (int i = 1; i < n; i++)
                v[i] = w[i - 1] * 3 + s;
        for (int i = 0; i < n; i++)
            w[i] += v[n - 1 - i];
    }
}

static void at_once(int steps, int n, unsigned *restrict v, unsigned *restrict w, unsigned *restrict x)
{
    #pragma acc kernels copy(v[0:n], w[0:n]) async(1)
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            w[i] = v[i - 1] + t;
        for (int i = 0; i < n; i++)
            v[i] = 3 * w[n - 1 - i];
    }
    #pragma acc kernels copy(x[0:n], u[2:1][0:n]) async(2)
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++)
            u[2][i] = x[i - 1] + t;
        for (int i = 0; i < n; i++)
            x[i] = 5 * u[2][n - 1 - i];
    }
    #pragma acc wait
}

int main(void)
{
    int sides[] = {0, 1, 2, 199, 256}, lines[] = {0, 1, 16411, 32768};
    for (int k = 0; k < 5; k++) {
        int n = sides[k];
        fill(n * n, a, 1);
        fill(n * n, b, 2);
        jacobi(3, n, (void *)a, (void *)b);
        show("jacobi", n, n * n, a);
    }
    for (int k = 0; k < 4; k++) {
        int n = lines[k];
        fill(3 * LINE, u[0], 3);
        wave(4, n);
        show("wave", n, 3 * LINE, u[0]);
    }
    int places[] = {0, 1, 131, 128};
    for (int k = 0; k < 4; k++) {
        int n = places[k];
        fill(n * n, a, 4);
        shortest(n, (void *)a);
        show("shortest", n, n * n, a);
    }
    int beside_them[] = {0, 1, 7, 64, 5003};
    for (int k = 0; k < 5; k++) {
        fill(LINE, v, 5);
        fill(LINE, w, 6);
        beside(2, beside_them[k], v, w);
        show("beside", beside_them[k], LINE, v);
    }
    for (int k = 0; k < 4; k++) {
        int n = lines[k];
        fill(n, v, 7);
        fill(n, w, 8);
        sometimes(6, n, v, w);
        show("sometimes", n, n, w);
        fill(n, u[0], 9);
        fill(n, u[2], 10);
        at_once(3, n, v, w, u[0]);
        show("at once", n, n, v);
        show("at once", n, n, u[0]);
    }
    return 0;
}
