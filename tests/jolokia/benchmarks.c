/* The regular benchmarks of Patel 2014, table 6.1, in plain C and small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef _for
#define _for for
#endif

static void black_scholes(int n, float *call, float *put, const float *price, const float *strike, const float *years,
                          float rate, float volatility)
{
    _for (int i = 0; i < n; i++) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
        float d2 = d1 - volatility * root;
        float k1 = 1.0f / (1.0f + 0.2316419f * fabsf(d1)), k2 = 1.0f / (1.0f + 0.2316419f * fabsf(d2));
        float c1 = 0.39894228f * expf(-0.5f * d1 * d1)
            * (k1 * (0.31938153f + k1 * (-0.356563782f + k1 * (1.781477937f + k1 * (-1.821255978f + k1 * 1.330274429f)))));
        float c2 = 0.39894228f * expf(-0.5f * d2 * d2)
            * (k2 * (0.31938153f + k2 * (-0.356563782f + k2 * (1.781477937f + k2 * (-1.821255978f + k2 * 1.330274429f)))));
        if (d1 > 0.0f)
            c1 = 1.0f - c1;
        if (d2 > 0.0f)
            c2 = 1.0f - c2;
        float discount = expf(-rate * years[i]);
        call[i] = price[i] * c1 - strike[i] * discount * c2;
        put[i] = strike[i] * discount * (1.0f - c2) - price[i] * (1.0f - c1);
    }
}

static void vector_add(int n, const float *a, const float *b, float *c)
{
    _for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void jacobi_1d(int n, const float *a, float *b)
{
    _for (int i = 1; i < n - 1; i++)
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

static void jacobi_2d(int n, const float *a, float *b)
{
    _for (int i = 1; i < n - 1; i++)
        _for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

static void heat_2d(int n, float c, const float *a, float *b)
{
    _for (int i = 1; i < n - 1; i++)
        _for (int j = 1; j < n - 1; j++)
            b[i * n + j] = a[i * n + j]
                + c * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1] - 4 * a[i * n + j]);
}

static void convolution(int n, const float *a, const float mask[9], float *b)
{
    _for (int i = 1; i < n - 1; i++)
        _for (int j = 1; j < n - 1; j++) {
            float sum = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    sum += a[(i + y) * n + j + x] * mask[(y + 1) * 3 + x + 1];
            b[i * n + j] = sum;
        }
}

static double sum(int n, const float *a)
{
    double all = 0;
    for (int i = 0; i < n; i++)
        all += (i % 13 + 1) * a[i];
    return all;
}

static void all(int n)
{
    int most = n * n;
    float *a = malloc((most + 1) * sizeof *a), *b = calloc(most + 1, sizeof *b), *c = calloc(most + 1, sizeof *c);
    float *price = malloc((n + 1) * sizeof *price), *strike = malloc((n + 1) * sizeof *strike);
    float *years = malloc((n + 1) * sizeof *years), *call = calloc(n + 1, sizeof *call), *put = calloc(n + 1, sizeof *put);
    const float mask[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    for (int i = 0; i < most; i++)
        a[i] = b[i] = i * 7 % 19;
    for (int i = 0; i < n; i++) {
        price[i] = 20 + i % 9;
        strike[i] = 21 + i % 4;
        years[i] = 0.5f + i % 3;
    }
    #pragma jolokia gpuIn(price, strike, years) gpuOut(call, put) tile(128, 1, 1)
    black_scholes(n, call, put, price, strike, years, 0.02f, 0.3f);
    printf("%d: %.2f %.2f", n, sum(n, call), sum(n, put));
    #pragma jolokia gpuIn(a, b) gpuOut(c) tile(128, 1, 1)
    vector_add(most, a, b, c);
    printf(" %g", sum(most, c));
    for (int t = 0; t < 3; t++) {
        #pragma jolokia gpuIn(a) gpuOut(b)
        jacobi_1d(most, a, b);
        #pragma jolokia gpuIn(b) gpuOut(a)
        jacobi_1d(most, b, a);
    }
    printf(" %.2f", sum(most, a));
    for (int t = 0; t < 3; t++) {
        #pragma jolokia gpuIn(a) gpuOut(b) tile(32, 4, 1) scratchpad(a, 34, 6, 1)
        jacobi_2d(n, a, b);
        #pragma jolokia gpuIn(b) gpuOut(a) tile(32, 4, 1)
        heat_2d(n, 0.1f, b, a);
    }
    printf(" %.2f", sum(most, a));
    #pragma jolokia gpuIn(a, mask) gpuOut(c) tile(16, 16, 1)
    convolution(n, a, mask, c);
    printf(" %.1f\n", sum(most, c));
    free(a), free(b), free(c), free(price), free(strike), free(years), free(call), free(put);
}

int main(void)
{
    int sizes[] = {0, 1, 2, 3, 31, 48};
    for (int i = 0; i < 6; i++)
        all(sizes[i]);
    return 0;
}
