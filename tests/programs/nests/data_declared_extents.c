/* The extents of variable-length arrays are those of their declarations. */
#include <stdio.h>
#include <stdlib.h>

static int global = 3;

static unsigned sum(const int *p, long count)
{
    unsigned s = 17;
    for (long i = 0; i < count; i++)
        s = s * 31 + (unsigned)p[i];
    return s;
}

/* The variable changes between the declaration and the region. */
static void changed_before(int n)
{
    int m = n + 2;
    int a[n + 1][m];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i - j;
    m = 1;
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < n; i++)
        a[i][m] += 10 * i;
    printf("changed before %u\n", sum(&a[0][0], (long)(n + 1) * (n + 2)));
}

/* It changes within the region, in a loop around it, and as a global. */
static void changed_within(int n, int m, int a[][m])
{
    const long all = (long)n * m;
    for (int round = 0; round < 2; round++) {
        #pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; i++) {
            int k = m;
            k -= i % k;
            a[i][k - 1] += i;
        }
        #pragma acc kernels copy(a[0:n])
        for (int i = 0; i < n; i++) {
            m = 1;
            a[i][m - 1] += m;
        }
    }
    printf("changed within %u\n", sum((const int *)a, all));
}

static void by_global(int n, int a[n][global])
{
    global = 1;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i][2] = 5 * i;
    global = 3;
    printf("by a global %u\n", sum((const int *)a, 3L * n));
}

/* The variable of the extent is not named in the region; another has its name there. */
static void unnamed(int n, int m, int a[n][m + 2][m], int b[n + 1])
{
    const long all = (long)n * (m + 2) * m;
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n+1])
    for (int i = 0; i < n; i++)
        a[i][1][0] = b[i] + a[i][2][0];
    {
        int m = 1;
        #pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; i++)
            a[i][m][0] += m;
    }
    printf("unnamed %u\n", sum((const int *)a, all));
}

/* Types declared in the region, and those of a function called there. */
static void add(int m, int row, int (*a)[m])
{
    int to = m - 1;
    m = 0;
    a[row][to] += row;
    a[row][m] += 2;
}

static void declared_inside(int n, int m, int *p)
{
    #pragma acc parallel loop copy(p[0:n*m])
    for (int i = 0; i < n; i++) {
        int width = m;
        int (*a)[width] = (int (*)[width])p;
        width = 0;
        a[i][width] += i + (int)(sizeof *a / sizeof **a);
    }
    #pragma acc parallel loop copy(p[0:n*m])
    for (int i = 0; i < n; i++)
        add(m, i, (int (*)[m])p);
    printf("declared inside %u\n", sum(p, (long)n * m));
}

/* Extents read from elsewhere. */
static void given_away(int n)
{
    int m;
    if (sscanf("7", "%d", &m) != 1)
        return;
    int a[n + 1][m];
    #pragma acc parallel loop collapse(2) copyout(a)
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * m + j;
    printf("given away %u\n", sum(&a[0][0], (long)(n + 1) * m));
}

/* A parameter that is declared as an array is one to a clause. */
static void whole(int n, int m, int a[n + 1][m], int b[12])
{
    n += 1;
    n -= 1;
    #pragma acc enter data copyin(b)
    #pragma acc parallel loop present(b)
    for (int i = 0; i < 12; i++)
        b[i] += i;
    #pragma acc exit data copyout(b)
    #pragma acc parallel loop collapse(2) copy(a[0:n+1]) copyin(b)
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += b[(i + j) % 12];
    printf("whole %u %u\n", sum(&a[0][0], (long)(n + 1) * m), sum(b, 12));
}

static void whole_rows(int n, int m, int a[n + 1][m])
{
    #pragma acc parallel loop collapse(2) copy(a)
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] -= i;
    printf("whole rows %u\n", sum(&a[0][0], (long)(n + 1) * m));
}

int main(int argc, char **argv)
{
    static const int sizes[] = { 0, 1, 13, 64 };
    (void)argc, (void)argv;
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], m = 5;
        int *p = calloc((size_t)(n + 1) * 8 * 5, sizeof *p);
        int *b = calloc((size_t)n + 1, sizeof *b);
        for (int i = 0; i < n; i++)
            b[i] = 3 * i;
        changed_before(n);
        changed_within(n, m, (int (*)[m])p);
        by_global(n, (int (*)[global])p);
        unnamed(n, m, (int (*)[m + 2][m])p, b);
        declared_inside(n, m, p);
        given_away(n);
        int twelve[12] = { 1, 2, 3 };
        whole(n, m, (int (*)[m])p, twelve);
        whole_rows(n, m, (int (*)[m])p);
        free(p);
        free(b);
    }
    return 0;
}
