/* Codelets and callsites of OpenHMPP: what goes to the device and comes back. */
#include <stdio.h>

#define N 70
#define HALF (N / 2)

/* in, out and inout; arrays say by their types how long they are. */
#pragma hmpp axpy codelet, target=CUDA:OPENCL, args[x].io=in, args[y].io=inout, args[n; f].const=true
static void axpy(int n, float f, float x[N], float y[N])
{
    int i;
    for (i = 0; i < n; i++)
        y[i] = f * x[i] + y[i];
}

/* The extents of other arguments, and what no property says: all that is not constant comes back. */
#pragma hmpp turn codelet
static void turn(int rows, int columns, const double a[rows][columns], double b[columns][rows])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            b[j][i] = a[i][j] + i;
}

/* Pointers need a size, which is in terms of the arguments; numbers name them, too. */
#pragma hmpp split codelet, args[1].size={2 * n}, args[2-3].size={n}, args[1].io=in, args[2-3].io=out
static void split(int n, const int *both, int *even, int *odd)
{
    for (int i = 0; i < n; i++) {
        even[i] = both[2 * i];
        odd[i] = both[2 * i + 1];
    }
}

/* Structures by value, functions of the file, tables of the file. */
struct line {
    double slope, offset;
    int steps[3];
};

static const int table[4] = {3, 1, 4, 1};

static double at(struct line line, double x)
{
    return line.slope * x + line.offset + line.steps[1];
}

#pragma hmpp lines codelet, args[y].io=out
static void lines(int n, struct line line, double y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = at(line, i) + table[i & 3];
}

/* A macro in a directive; a prototype may have it. */
#pragma hmpp halves codelet, args[a].size={HALF}, args[a].io=inout
static void halves(int *a);

static void halves(int *a)
{
    for (int i = 0; i < HALF; i++)
        a[i] /= 2;
}

/* Time steps are the host's, with launches in between; a loop whose iterations need each other stays in order. */
#pragma hmpp steps codelet, args[a; b].io=inout
static void steps(int t, int n, double a[n], double b[n])
{
    for (int k = 0; k < t; k++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
    for (int i = 1; i < n; i++)
        b[i] += b[i - 1];
}

static float x[N], y[N];
static double wide[9][N], tall[N][9];
static int pairs[2 * N], even[N], odd[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i, y[i] = 1;
    #pragma hmpp axpy callsite
    axpy(N, 2, x, y);
    printf("%g %g\n", y[1], y[N - 1]);
    /* A call without a directive is the host's, also of part of it. */
    axpy(N - 1, 1, x, y);
    #pragma hmpp axpy callsite
    axpy(0, 1, x, y);
    printf("%g %g\n", y[1], y[N - 1]);

    for (int i = 0; i < 9; i++)
        for (int j = 0; j < N; j++)
            wide[i][j] = i * j;
    #pragma hmpp turn callsite
    turn(9, N, wide, tall);
    printf("%g %g\n", tall[3][4], tall[N - 1][8]);
    /* With a condition, and arguments that are counted once. */
    int calls = 0;
    for (int n = 5; n < 8; n++) {
        #pragma hmpp turn callsite, cond="n > 6"
        turn(n, (calls++, n + 1), (const double (*)[n + 1])wide, (double (*)[n])tall);
    }
    printf("%g %g %d\n", tall[0][3], tall[1][2], calls);

    for (int i = 0; i < 2 * N; i++)
        pairs[i] = i * i;
    #pragma hmpp split callsite
    split(N, pairs, even, odd);
    printf("%d %d\n", even[N - 1], odd[N - 1]);

    struct line line = {2, 1, {0, 10, 0}};
    double heights[33];
    #pragma hmpp lines callsite
    lines(33, line, heights);
    printf("%g %g\n", heights[0], heights[32]);

    #pragma hmpp halves callsite
    halves(even);
    printf("%d %d\n", even[HALF - 1], even[HALF]);

    double a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i % 7;
    #pragma hmpp steps callsite
    steps(4, N, a, b);
    printf("%.6f %.6f\n", a[20], b[N - 1]);
    for (int k = 0; k < 2; k++)
        /* As the only statement of a loop. */
        #pragma hmpp steps callsite
        steps(k, N, a, b);
    printf("%.6f\n", b[10]);
    return 0;
}
