/* Sections of whole rows whose extents only the run time shows to be equal. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 24
#define COLUMNS 16

static unsigned sum(const float *p, long count)
{
    unsigned s = 17;
    for (long i = 0; i < count; i++)
        s = s * 31 + (unsigned)(long)p[i];
    return s;
}

/* Declared with numbers, named with variables. */
static void constant(int ni, int nj, float a[ROWS][COLUMNS])
{
    #pragma acc parallel loop collapse(2) copy(a[0:ni][0:nj])
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            a[i][j] += i - j;
    #pragma acc parallel loop copy(a[ni / 2:ni - ni / 2][0:COLUMNS + 0])
    for (int i = ni / 2; i < ni; i++)
        a[i][nj - 1] = -i;
    /* Part of one row is one stretch. */
    #pragma acc parallel loop copy(a[1:1][2:nj - 4])
    for (int j = 2; j < nj - 2; j++)
        a[1][j] = 100 + j;
    #pragma acc parallel loop copy(a[2][2:nj - 4])
    for (int j = 2; j < nj - 2; j++)
        a[2][j] = 200 + j;
}

/* With sums of variables, in another order, and with variables that were changed and changed back. */
static void variable(int n, int m, float a[n][m + 2][2 * m])
{
    int rows = m + 2;
    m += 1;
    m -= 1;
    #pragma acc parallel loop copy(a[0:n][0:2 + m][0:m + m])
    for (int i = 0; i < n; i++)
        a[i][m + 1][2 * m - 1] += i;
    #pragma acc data copy(a[0:n][0:rows][0:2 * m + 0])
    {
        #pragma acc parallel loop present(a)
        for (int i = 0; i < n; i++)
            a[i][0][0] -= i;
    }
}

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 32 };
    float (*a)[COLUMNS] = calloc(ROWS, sizeof *a);
    for (int n = 4; n <= ROWS; n += 10)
        constant(n, COLUMNS, a);
    printf("constant %u\n", sum(&a[0][0], ROWS * COLUMNS));
    free(a);
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], m = 5;
        float *b = malloc((size_t)(n + 1) * (m + 2) * 2 * m * sizeof *b);
        for (int i = 0; i < n * (m + 2) * 2 * m; i++)
            b[i] = i % 101;
        variable(n, m, (float (*)[m + 2][2 * m])b);
        printf("variable %d %u\n", n, sum(b, (long)n * (m + 2) * 2 * m));
        free(b);
    }
    return 0;
}
