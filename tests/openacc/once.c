/* What gangs do outside of their vector loops happens once for each, and all lanes know what it gave: calls that stay calls,
   the device's heap, captured atomics, in blocks and in rows of lanes. */
#include <stdio.h>
#include <stdlib.h>

#define N 37
#define M 50

static int wrong;

static void check(const char *what, int right)
{
    printf("%s %s\n", what, right ? "right" : "wrong");
    wrong |= !right;
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static double halves(double x, int n)
{
    return n == 0 ? x : 0.5 * halves(x, n - 1);
}

static float negated(float x, int n)
{
    return n == 0 ? x : -negated(x, n - 1);
}

int main(void)
{
    static double a[N][M];
    static float zero[N][M];
    static int b[N][M], seen[N];
    int order = 0, right = 1;

    #pragma acc parallel loop gang vector_length(64) copyout(a, b, zero)
    for (int i = 0; i < N; i++) {
        int f = fibonacci(i % 12);
        double h = halves(3.0 + i, 4);
        float z = negated(0.0f, 3);
        #pragma acc loop vector
        for (int j = 0; j < M; j++) {
            b[i][j] = f + j;
            a[i][j] = h * j;
            zero[i][j] = z;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            right &= b[i][j] == fibonacci(i % 12) + j && a[i][j] == (3.0 + i) / 16 * j;
            right &= zero[i][j] == 0 && __builtin_signbit(zero[i][j]);
        }
    check("calls", right);

    right = 1;
    #pragma acc parallel loop gang vector_length(128) copyout(b) copy(order) copyout(seen)
    for (int i = 0; i < N; i++) {
        int mine;
        #pragma acc atomic capture
        mine = order++;
        seen[i] = mine;
        #pragma acc loop vector
        for (int j = 0; j < M; j++)
            b[i][j] = mine * j;
    }
    int times[N] = { 0 };
    for (int i = 0; i < N; i++) {
        right &= seen[i] >= 0 && seen[i] < N && times[seen[i]]++ == 0;
        for (int j = 0; j < M; j++)
            right &= b[i][j] == seen[i] * j;
    }
    check("captured", right && order == N);

    right = 1;
    #pragma acc parallel loop gang vector_length(32) copyout(b)
    for (int i = 0; i < N; i++) {
        int n = i + 1, *p = malloc(n * sizeof *p);
        #pragma acc loop vector
        for (int j = 0; j < n; j++)
            p[j] = j * j;
        #pragma acc loop vector
        for (int j = 0; j < M; j++)
            b[i][j] = p[j % n];
        free(p);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            right &= b[i][j] == j % (i + 1) * (j % (i + 1));
    check("heap", right);

    right = 1;
    #pragma acc parallel loop gang num_workers(4) vector_length(16) copyout(b)
    for (int i = 0; i < 5; i++) {
        #pragma acc loop worker
        for (int k = 0; k < 7; k++) {
            int f = fibonacci(k + i % 2);
            #pragma acc loop vector
            for (int j = 0; j < M; j++)
                b[i * 7 + k][j] = f * j;
        }
    }
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 7; k++)
            for (int j = 0; j < M; j++)
                right &= b[i * 7 + k][j] == fibonacci(k + i % 2) * j;
    check("workers", right);

    right = 1;
    #pragma acc kernels copyout(b)
    for (int i = 0; i < N; i++) {
        int n = i + 1, *p = calloc(n, sizeof *p);
        for (int j = 0; j < n; j++)
            p[j] += j;
        for (int j = 0; j < M; j++)
            b[i][j] = p[j % n];
        free(p);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            right &= b[i][j] == j % (i + 1);
    check("kernels", right);
    return wrong;
}
