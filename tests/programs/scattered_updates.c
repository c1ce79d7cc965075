// Histograms and other updates by index arrays, of which iterations may meet in one element.
#include <stdio.h>
#include <stdlib.h>

static void histogram(int n, const unsigned char *restrict c, int *restrict h)
{
    #pragma acc kernels copyin(c[0:n]) copy(h[0:256])
    for (int i = 0; i < n; i++)
        h[c[i]]++;
}

static void weighted(int n, int m, const int *restrict at, const int *restrict w, long *restrict h)
{
    #pragma acc kernels copyin(at[0:n*m], w[0:n*m]) copy(h[0:64])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (w[i * m + j] % 3 != 0)
                h[at[i * m + j]] -= w[i * m + j];
}

static void extremes(int n, const int *restrict at, const int *restrict w, int *restrict most, unsigned *restrict least)
{
    #pragma acc kernels copyin(at[0:n], w[0:n]) copy(most[0:64], least[0:64])
    for (int i = 0; i < n; i++) {
        most[at[i]] = most[at[i]] > w[i] ? most[at[i]] : w[i];
        least[at[i]] = least[at[i]] < (unsigned)w[i] ? least[at[i]] : (unsigned)w[i];
        least[at[i]] |= 1u;
    }
}

// What others make of an element is looked at: in order, or not at all.
static void numbered(int n, const int *restrict at, int *restrict h, int *restrict number)
{
    #pragma acc kernels copyin(at[0:n]) copy(h[0:64]) copyout(number[0:n])
    for (int i = 0; i < n; i++)
        number[i] = h[at[i]]++;
}

static void twice(int n, const int *restrict at, int *restrict h)
{
    #pragma acc kernels copyin(at[0:n]) copy(h[0:64])
    for (int i = 0; i + 1 < n; i++) {
        int a = h[at[i]], b = h[at[i + 1]];
        h[at[i]] = a + 1;
        h[at[i + 1]] = b + 2;
    }
}

static void sums(int n, const int *restrict at, const float *restrict w, float *restrict s)
{
    #pragma acc kernels copyin(at[0:n], w[0:n]) copy(s[0:64])
    for (int i = 0; i < n; i++)
        s[at[i]] += w[i];
}

int main(void)
{
    enum { N = 3000 };
    static unsigned char c[N];
    static int at[N], w[N], h[256], most[64], number[N];
    static unsigned least[64];
    static long sum[64];
    static float f[N], s[64];
    for (int i = 0; i < N; i++) {
        c[i] = i * 37 % 251;
        at[i] = i * 29 % 64;
        w[i] = i * 31 % 1009 - 300;
        f[i] = i % 7 * 0.5f;
    }
    histogram(N, c, h);
    histogram(0, c, h);
    weighted(50, 60, at, w, sum);
    extremes(N, at, w, most, least);
    numbered(N, at, h, number);
    twice(N, at, h);
    sums(N, at, f, s);
    long total = 0;
    for (int i = 0; i < 256; i++)
        total += (long)h[i] * (i + 1);
    for (int i = 0; i < 64; i++)
        total += sum[i] * (i + 3) + most[i] * (i % 5) + least[i] % 17 + (long)(2 * s[i]);
    for (int i = 0; i < N; i++)
        total += number[i] * (i % 11);
    printf("%ld\n", total);
    return 0;
}
