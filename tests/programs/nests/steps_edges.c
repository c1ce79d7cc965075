// Steps of several sweeps: rows and columns at the edges with the inside, fields side by side whose bounds differ a little. What
// reads what its neighbours have just written waits for it; all else is one launch.
#include "nest.h"

static unsigned a[MOST][MOST], b[MOST][MOST], c[MOST][MOST], edge[MOST];

static void begin(int n)
{
    fill(MOST * MOST, &a[0][0], n + 1);
    fill(MOST * MOST, &b[0][0], n + 2);
    fill(MOST * MOST, &c[0][0], n + 3);
    fill(MOST, edge, n + 4);
}

static void end(const char *name, int n)
{
    show(name, n, MOST * MOST, &a[0][0]);
    show(name, n, MOST * MOST, &b[0][0]);
    show(name, n, MOST * MOST, &c[0][0]);
}

// The first row, the last column and the inside of one array, behind a sweep over all of it.
static void frame(int n, int m)
{
    #pragma acc kernels copy(a, b) copyin(edge)
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                b[i][j] = 3 * a[i][j] + t;
        for (int j = 0; j < m; j++)
            a[0][j] = edge[j] + t;
        for (int i = 1; i < n; i++)
            a[i][0] = edge[i];
        for (int i = 1; i < n; i++)
            for (int j = 1; j < m; j++)
                a[i][j] = b[i - 1][j] + b[i][j - 1];
    }
}

// Fields that have nothing to do with each other but in their own element; one has a row less, one a column less.
static void fields(int n, int m)
{
    #pragma acc kernels copy(a, b, c)
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = a[i][j] * 5 + c[i + 1][j];
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m; j++)
                b[i][j] = b[i][j] * 3 + c[i][j - 1] + a[i][j];
        for (int i = 1; i < n; i++)
            for (int j = 0; j < m - 1; j++)
                c[i][j] = c[i][j] + a[i - 1][j] * b[i][j + 1];
    }
}

// One that the next one writes again, and one that it overwrites: orders that fusion keeps within an element.
static void twice(int n, int m)
{
    #pragma acc kernels copy(a, b)
    for (int t = 0; t < 3; t++) {
        for (int j = 0; j < m; j++)
            a[1][j] = 2 * b[1][j] + t;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] = a[i][j] * 7 + b[i][j];
        for (int j = 0; j < m; j++)
            a[1][j] = a[1][j] + b[0][j];
    }
}

int main(void)
{
    EACH_SIZE (n) {
        int m = n > 1 ? n - 1 : 3 * (n == 0);
        begin(n), frame(n, m), end("frame", n);
        begin(n), frame(m, n), end("frame", n);
        begin(n), fields(n, m), end("fields", n);
        begin(n), fields(m, n), end("fields", n);
        begin(n), twice(n, m), end("twice", n);
        begin(n), twice(m, n), end("twice", n);
    }
    return 0;
}
