// Parts of arrays that the host touches between nests: elements, rows, whole arrays, under conditions, with jumps, through calls.
#include <stdio.h>
#include <string.h>

#define N 100

struct pair {
    double x, y;
};

static double g[N];
static double last;

static double next(void)
{
    last += 1;
    return last;
}

static double peek(void)
{
    return g[5];
}

static void through(double *p, int at)
{
    p[at] += 1;
}

static void (*unknown)(double *);

int main(int argc, char **words)
{
    (void)words;
    double a[N], b[N][N], c[N], d[2 * N];
    struct pair s[N];
    int k = argc + 3;
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < N; i++) {
            a[i] = i + t;
            c[i] = 2 * i;
            g[i] = t;
            s[i].x = i;
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                b[i][j] = a[i] + j;
        // Every other element: the others stay.
        for (int i = 0; i < N; i++)
            d[2 * i] = i;
        for (int i = 0; i < N; i++)
            d[2 * i + 1] = t == 0 ? 0 : d[2 * i + 1] + d[2 * i];
        printf("%g %g %g\n", a[7], a[k] + a[k + 1], d[5]);
        a[3] = next();
        a[k] = 5;
        a[k + 1] += 2;
        for (int j = 0; j < N; j++)
            b[2][j] = next();
        for (int j = 1; j < N - 1; j++)
            b[3][j] = b[3][j - 1] + 1;
        for (int j = N - 1; j >= 0; j--)
            b[j][4] = next();
        s[2].y = 3;
        s[3] = s[2];
        for (int i = 0; i < N; i++) {
            if (i == 50)
                break;
            c[i] = next();
        }
        for (int i = 0; i < N; i++)
            if (i % 3 == k % 3)
                c[i] = -1;
        while (a[8] < 3)
            a[8] = a[8] + 1;
        through(a, 11);
        printf("%g %g\n", peek() + g[1], k > 2 && a[k] > 3 ? a[k - 1] : c[0]);
        for (int i = 0; i < N; i++)
            c[i] = c[i] + a[i] + s[i].x + b[i][4] + b[2][i] + b[3][i];
        for (int u = 0; u < 2; u++) {
            if (u == argc)
                for (int i = 0; i < N; i++)
                    a[i] = next();
            if (u == argc + 1)
                memset(g, 0, sizeof g);
            printf("%g\n", a[9] + g[2]);
        }
        /* Of what is done on no way here nothing is known. */
        for (int u = 0; u < 2; u++) {
            if (u == argc)
                for (int i = 0; i < N; i++)
                    a[i] = next();
            if (argc > 5)
                unknown(a);
        }
        printf("%g %g\n", b[7][8], a[10]);
        for (int i = 0; i < N; i++)
            c[i] = c[i] + a[i] + g[i];
        memcpy(a, c, sizeof a);
        memcpy(g, a, 8 * sizeof a[0]);
        for (int i = 1; i < N; i++)
            a[i] = a[i] + g[i];
        // Read and written: what is read was written before, in the same round.
        for (int i = 0; i < N; i++) {
            c[i] = a[i] * 2;
            b[i][0] = c[i] + 1;
        }
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += a[i] + c[i] + d[i] + b[i][0] + b[i][1] + s[i].x;
        printf("%g\n", sum);
    }
    return 0;
}
