/* tile (OpenMP 5.2 §9.1) of loops that a thread executes, and of those that threads divide. */
#include <stdio.h>

/* Not all host compilers know the directive. */
#ifdef NATIVE
#define TILE(...)
#else
#define PRAGMA(text) _Pragma(#text)
#define TILE(...) PRAGMA(omp tile sizes(__VA_ARGS__))
#endif

#define N 37
#define M 41

static int a[N][M], b[M][N];
static double c[N][M];

static long look(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            sum += (long)a[i][j] * (i + 2 * j + 1) + b[j][i] * (j + 1) + (long)(8 * c[i][j]) * (j % 5 + 1);
    return sum;
}

static void all(int n)
{
    #pragma omp target teams distribute parallel for map(tofrom: a)
    for (int i = 0; i < n; i++) {
        TILE(4)
        for (int j = 0; j < M; j++)
            a[i][j] = i * j + n;
    }
    printf("%d: %ld", n, look(n));
    #pragma omp target map(tofrom: a, b)
    {
        TILE(8, 4)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < M; j++)
                b[j][i] += a[i][j] * 3;
    }
    printf(" %ld", look(n));
    #pragma omp target parallel for map(tofrom: c) map(to: a)
    for (int i = 0; i < n; i++) {
        TILE(5, 2)
        for (int j = 0; j < M; j++) {
            for (int k = 0; k < n; k++)
                c[i][j] += a[k][j] * 0.5;
        }
    }
    printf(" %ld", look(n));
    #pragma omp target teams distribute parallel for map(tofrom: a)
    TILE(4, 4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            a[i][j] += j;
    printf(" %ld\n", look(n));
}

int main(void)
{
    int sizes[] = {0, 1, 5, N};
    for (int i = 0; i < 4; i++)
        all(sizes[i]);
    return 0;
}
