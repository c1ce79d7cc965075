/* hmppcg: who executes the iterations of loops, and how loops are rewritten. */
#include <stdio.h>

#define N 61
#define FOUR 4

#pragma hmpp product codelet, args[c].io=out
static void product(float a[N][N], float b[N][N], float c[N][N])
{
    int i, j, k;
    #pragma hmppcg shared a, b
    #pragma hmppcg remote c
    #pragma hmppcg grid blocksize "32x8"
    #pragma hmppcg gridify(i, j), private(k), global(a, b, c)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            float sum = 0;
            #pragma hmppcg unroll FOUR, guarded
            #pragma hmppcg noParallel
            for (k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

/* Columns are neighbours behind the permutation. */
#pragma hmpp columns codelet, args[b].io=out
static void columns(float a[N][N], float b[N][N])
{
    #pragma hmppcg permute j, i
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[j][i] = a[j][i] * 2 + j;
}

#pragma hmpp sums codelet, args[total; most].io=out, args[rows].io=out
static void sums(float a[N][N], float rows[N], float total[1], float most[1])
{
    float sum = 0, largest = 0;
    #pragma hmppcg gridify(i, j), blocksize 64 X 2, reduce(+: sum), reduce(max: largest)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            sum += a[i][j];
            largest = a[i][j] > largest ? a[i][j] : largest;
        }
    total[0] = sum;
    most[0] = largest;
    #pragma hmppcg parallel
    for (int i = 0; i < N; i++) {
        float row = 0;
        #pragma hmppcg fullunroll
        for (int j = 0; j < 4; j++)
            row += a[i][j];
        rows[i] = row;
    }
}

/* The directives of loops in functions that a codelet calls; of two loops, either alone. */
static int steps(int start)
{
    int value = start;
    #pragma hmppcg noParallel
    for (int k = 0; k < 5; k++)
        value = value * 3 + k;
    return value;
}

#pragma hmpp walk codelet, args[out].io=out
static void walk(int n, int out[n][n])
{
    int i, j;
    #pragma hmppcg(CUDA) parallel
    #pragma hmppcg(OPENCL) unroll 2
    for (i = 0; i < n; i++) {
        #pragma hmppcg noParallel
        for (j = 0; j < n; j++)
            out[i][j] = steps(i) - (j > 0 ? out[i][j - 1] : 0);
    }
}

/* Indices that the compiler cannot know are what the program says of them. */
#pragma hmpp scatter codelet, args[to].io=in, args[out].io=inout
static void scatter(int n, const int to[n], int out[n])
{
    #pragma hmppcg parallel
    for (int i = 0; i < n; i++)
        out[to[i]] = 3 * i;
}

static float a[N][N], b[N][N], c[N][N], rows[N];
static int numbers[N][N], to[N], out[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j) % 5;
            b[i][j] = (i + j * 3) % 4;
        }
    #pragma hmpp product callsite
    product(a, b, c);
    printf("%g %g %g\n", c[0][0], c[17][40], c[N - 1][N - 1]);
    #pragma hmpp columns callsite
    columns(c, b);
    printf("%g %g\n", b[3][50], b[N - 1][0]);
    float total[1], most[1];
    #pragma hmpp sums callsite
    sums(a, rows, total, most);
    printf("%g %g %g\n", total[0], most[0], rows[N - 1]);
    #pragma hmpp walk callsite
    walk(N, numbers);
    printf("%d %d\n", numbers[5][6], numbers[N - 1][N - 1]);
    for (int i = 0; i < N; i++)
        to[i] = (i * 7) % N;
    #pragma hmpp scatter callsite
    scatter(N, to, out);
    printf("%d %d\n", out[1], out[N - 1]);
    return 0;
}
