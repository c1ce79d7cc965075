/* Rows of every length whose inner loops lanes share: sums of whole numbers, so that the order does not
   show; rows and columns, sparse rows, rows that are changed on the way. */
#include <stdio.h>

#define MOST 1000

static int a[MOST][64], wide[64][MOST], x[MOST], y[MOST], z[MOST];
static int start[MOST + 1], column[16 * MOST];

static unsigned fingerprint(int n, const int *v)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned)v[i];
    return sum;
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < 64; j++) {
            a[i][j] = (i * 31 + j * 17) % 113 - 50;
            wide[j][i] = (i * 13 + j * 41) % 97 - 40;
        }
        x[i] = i % 19 - 9;
        y[i] = z[i] = i;
        start[i + 1] = start[i] + i * 7 % 16;
    }
    for (int e = 0; e < start[MOST]; e++)
        column[e] = e * 37 % MOST;
}

static void products(int m, int n)
{
    #pragma acc parallel loop
    for (int i = 0; i < m; i++) {
        int sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
    printf("%d by %d: %u", m, n, fingerprint(m, y));
}

static void long_rows(int m, int n)
{
    #pragma acc kernels
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i] += wide[i][j] * x[j];
    printf(" %u", fingerprint(m, y));
}

static void columns(int m, int n)
{
    #pragma acc parallel loop
    for (int j = 0; j < n; j++) {
        int least = 1 << 30;
        for (int i = 0; i < m; i++)
            least = wide[i][j] < least ? wide[i][j] : least;
        z[j] = least;
    }
    printf(" %u", fingerprint(n, z));
}

/* Each row less its maximum, and then from its end the sum of that. */
static void changed(int m, int n)
{
    #pragma acc parallel loop
    for (int i = 0; i < m; i++) {
        int most = -1000, sum = 0;
        for (int j = 0; j < n; j++)
            most = a[i][j] > most ? a[i][j] : most;
        #pragma acc loop independent
        for (int j = 0; j < n; j++)
            a[i][j] -= most;
        for (int j = 0; j < n; j++)
            sum += a[i][n - 1 - j] * (j + 1);
        z[i] = sum;
    }
    printf(" %u", fingerprint(m, z));
}

static void sparse(int m)
{
    #pragma acc parallel loop
    for (int i = 0; i < m; i++) {
        int sum = 0;
        for (int e = start[i]; e < start[i + 1]; e++)
            sum += x[column[e]] * (e % 7);
        y[i] = sum;
    }
    printf(" %u\n", fingerprint(m, y));
}

int main(void)
{
    const int sizes[][2] = {
        {0, 5}, {5, 0}, {1, 1}, {31, 33}, {33, 31}, {32, 32}, {7, 8}, {1, 64}, {64, 9}, {61, 53}, {1000, 17},
    };
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int m = sizes[s][0], n = sizes[s][1];
        fill();
        products(m, n);
        long_rows(n, m);
        columns(n, m);
        changed(m, n);
        sparse(m);
    }
    fill();
    products(3, 64);
    long_rows(5, 997);
    columns(64, 997);
    sparse(997);
    return 0;
}
