/* Loop variables that are named in clauses, shared with the host, or read behind the loop. */
#include <stdio.h>

#define N 12

static int a[N], m[N][N], global;

static void show(const char *what)
{
    unsigned sum = 0;
    for (int q = 0; q < N; q++) {
        sum = sum * 31 + a[q];
        for (int r = 0; r < N; r++) {
            sum = sum * 31 + m[q][r];
            m[q][r] = 0;
        }
        a[q] = 0;
    }
    printf("%s: %u\n", what, sum);
}

/* A clause that names the loop's own variable adds nothing. */
static void in_clauses(void)
{
    int i = 2, j = 3;
    #pragma acc parallel loop private(i)
    for (i = 0; i < N; i++)
        a[i] = i + 1;
    show("parallel loop private");
    #pragma acc parallel loop collapse(2) private(i, j)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            m[i][j] = i * j + 1;
    show("collapse private");
    #pragma acc kernels loop private(i)
    for (i = 0; i < N; i++)
        a[i] = i + 2;
    show("kernels loop private");
    #pragma acc serial loop private(i)
    for (i = N - 1; i >= 0; i -= 2)
        a[i] = i + 3;
    show("serial loop private");
    #pragma acc parallel
    {
        #pragma acc loop seq private(i)
        for (i = 1; i < N; i++)
            a[i] = a[i - 1] + i;
    }
    show("loop seq private");
    #pragma acc kernels
    {
        #pragma acc loop auto private(i)
        for (i = 1; i < N; i++)
            a[i] = a[i - 1] + i;
    }
    show("loop auto private");
    #pragma acc parallel loop gang private(j)
    for (i = 0; i < N; i++) {
        #pragma acc loop vector private(j)
        for (j = 0; j < N; j++)
            m[i][j] = i * j + 5;
    }
    show("loop vector private");
    #pragma acc parallel loop firstprivate(i)
    for (i = 0; i < N; i++)
        a[i] = i + 6;
    show("firstprivate");
    #pragma acc data copy(i)
    {
        #pragma acc parallel loop present(i)
        for (i = 0; i < N; i++)
            a[i] = i + 7;
    }
    show("present");
}

/* Without a `loop` directive, the variable is the program's own. */
static void behind_kernels(int n)
{
    int i = -5, j = -6, k = -7, l = -8, down = -9, stepped = -10, none = -11, p, q;
    #pragma acc kernels
    for (i = 0; i < n; i++)
        a[i] = i;
    #pragma acc kernels
    for (j = 1; j < n; j++)
        a[j] += a[j - 1];
    #pragma acc kernels
    for (k = 0; k < n; k++)
        if (a[k] > 20)
            break;
    #pragma acc kernels
    for (l = 0; l <= n - 1; l++)
        for (p = l; p < n; p++)
            m[l][p] = l - p;
    #pragma acc kernels
    for (down = n - 1; down > 0; down -= 3)
        a[down]++;
    #pragma acc kernels
    for (stepped = 1; stepped < n; stepped += 4)
        a[stepped]++;
    #pragma acc kernels
    for (none = 7; none < n - n; none++)
        a[none] = 0;
    #pragma acc kernels
    {
        for (q = 0; q < n; q++)
            a[q] += 2;
        a[0] = q;
        for (global = 0; global < n; global++)
            a[global] += global;
    }
    printf("%d %d %d %d %d %d %d %d %d %d\n", i, j, k, l, down, stepped, none, p, q, global);
    show("behind kernels");
}

/* Nothing sees these: every other loop sets them first. */
static void unseen(int n)
{
    int i, j;
    for (int round = 0; round < 2; round++) {
        #pragma acc kernels
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                m[i][j] += i + j;
        for (i = 0; i < n; i++)
            a[i] += m[i][i];
    }
    show("unseen");
}

/* The host's loop goes on from where the region leaves its variable. */
static void around(int n)
{
    int i, rounds = 0;
    for (i = 0; i < n; i++) {
        #pragma acc kernels
        for (i = 0; i < n - 1; i++)
            a[i]++;
        rounds++;
    }
    printf("rounds %d\n", rounds);
    show("around");
}

int main(void)
{
    in_clauses();
    behind_kernels(N);
    unseen(N);
    around(N);
    return 0;
}
