/* Patel 2014, §3.1.2.2 and Listing 6.1: expressions of whole arrays, of which elements have scalars and branches of their own. Behind
   `#else` stands the same by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _for

static void add(f64Array &A, f64Array &B, f64Array &C)
{
    A = B + C;
}

static void scale(f64Array &A, f64Scalar &S)
{
    A = S * A;
}

static void more(f64Array &A, const f64Array &B, double by)
{
    A += B * by;
    A -= 1;
}

static void line(f64Array &A, f64Array &B)
{
    B = shift(A, -1) + shift(A, 0) + shift(A, 1);
}

static void grid(f64Array &A, f64Array &B)
{
    B = shift(A, -2, 0) + shift(A, 1, 0) + A + shift(A, 0, -1) + shift(A, 0, 3);
    A = B;
}

static void every(f64Array &A, f64Array &B)
{
    B = shift(stride(A, 2), -3);
}

/* Listing 6.1. */
blackscholes(f32Array &cRes, f32Array &pRes, f32Array &sPrice, f32Array &oStrike, f32Array &oYears, float rFactor,
                         float vol)
{
    f32Scalar sqrtoYears, d1, d2, k1, k2, cnd1temp, cnd2temp, CND1, CND2, expRT;
    sqrtoYears = sqrtf(oYears);
    d1 = logf(sPrice / oStrike) + (rFactor + 0.5f * vol * vol) * oYears / (vol * sqrtoYears);
    d2 = d1 - vol * sqrtoYears;
    k1 = 1 / (1 + 0.2316419f * abs(d1));
    k2 = 1 / (1 + 0.2316419f * abs(d2));
    cnd1temp = 0.39894228f * expf(-0.5f * d1 * d1) * k1;
    cnd2temp = 0.39894228f * expf(-0.5f * d2 * d2) * k2;
    _if (d1 > 0.0f) {
        CND1 = 1.0f - cnd1temp;
    } else {
        CND1 = cnd1temp;
    }
    _if (d2 > 0.0f)
        CND2 = 1.0f - cnd2temp;
    else
        CND2 = cnd2temp;
    expRT = expf(-rFactor * oYears);
    cRes = sPrice * CND1 - oStrike * expRT * CND2;
    pRes = oStrike * expRT * (1.0f - CND2) - sPrice * (1.0f - CND1);
}

static double look(f64Array &A)
{
    double sum = 0;
    for (int i = 0; i < A.length(0) * A.length(1); i++)
        sum += (i % 5 + 1) * A[i];
    return sum;
}

static void all(int n)
{
    f64Array A(n), B(n), C(n), D(n, n + 2), E(n, n + 2);
    f64Scalar S = 1.5;
    for (int i = 0; i < n; i++) {
        B(i) = i % 9;
        C(i) = n - i;
    }
    #pragma jolokia gpuIn(A, B, C) gpuOut(A) tile(128, 1, 1)
    add(A, B, C);
    printf("%d: %g", n, look(A));
    #pragma jolokia gpuIn(A, S) gpuOut(A) tile(64, 1, 1)
    scale(A, S);
    printf(" %g", look(A));
    #pragma jolokia gpuIn(A, B) gpuOut(A)
    more(A, B, 0.25);
    #pragma jolokia gpuIn(A) gpuOut(B)
    line(A, B);
    printf(" %g %g", look(A), look(B));
    D = 2;
    for (int i = 0; i < n * (n + 2); i++)
        D[i] += i % 13;
    for (int t = 0; t < 2; t++) {
        #pragma jolokia gpuIn(D, E) gpuOut(D, E) tile(32, 8, 1)
        grid(D, E);
    }
    printf(" %g", look(E));
    f64Array H((n + 1) / 2);
    #pragma jolokia gpuIn(A) gpuOut(H)
    every(A, H);
    printf(" %g\n", look(H));
    f32Array call(n), put(n), price(n), strike(n), years(n);
    for (int i = 0; i < n; i++) {
        price(i) = 20 + i % 9;
        strike(i) = 21 + i % 4;
        years(i) = 0.5f + i % 3;
    }
    #pragma jolokia gpuIn(price, strike, years) gpuOut(call, put) tile(128, 1, 1)
    blackscholes(call, put, price, strike, years, 0.02f, 0.3f);
    double calls = 0, puts = 0;
    for (int i = 0; i < n; i++)
        calls += call(i), puts += put(i);
    printf("%.2f %.2f\n", calls, puts);
}

#else

static double look(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 5 + 1) * a[i];
    return sum;
}

static void all(int n)
{
    int w = n + 2;
    double *A = calloc(n + 1, 8), *B = calloc(n + 1, 8), *D = calloc(n * w + 1, 8), *E = calloc(n * w + 1, 8);
    for (int i = 0; i < n; i++)
        A[i] = i % 9 + n - i;
    printf("%d: %g", n, look(A, n));
    for (int i = 0; i < n; i++)
        A[i] *= 1.5;
    printf(" %g", look(A, n));
    for (int i = 0; i < n; i++)
        A[i] += i % 9 * 0.25 - 1, B[i] = i % 9;
    for (int i = 1; i < n - 1; i++)
        B[i] = A[i - 1] + A[i] + A[i + 1];
    printf(" %g %g", look(A, n), look(B, n));
    for (int i = 0; i < n * w; i++)
        D[i] = 2 + i % 13;
    for (int t = 0; t < 2; t++) {
        for (int i = 2; i < n - 1; i++)
            for (int j = 1; j < w - 3; j++)
                E[i * w + j] = D[(i - 2) * w + j] + D[(i + 1) * w + j] + D[i * w + j] + D[i * w + j - 1] + D[i * w + j + 3];
        for (int i = 0; i < n * w; i++)
            D[i] = E[i];
    }
    printf(" %g", look(E, n * w));
    double h[100] = {0};
    for (int i = 2; i < (n + 1) / 2; i++)
        h[i] = A[2 * i - 3];
    printf(" %g\n", look(h, (n + 1) / 2));
    double calls = 0, puts = 0;
    for (int i = 0; i < n; i++) {
        float price = 20 + i % 9, strike = 21 + i % 4, years = 0.5f + i % 3, rate = 0.02f, vol = 0.3f;
        float root = sqrtf(years), d1 = logf(price / strike) + (rate + 0.5f * vol * vol) * years / (vol * root), d2 = d1 - vol * root;
        float c1 = 0.39894228f * expf(-0.5f * d1 * d1) / (1 + 0.2316419f * fabsf(d1));
        float c2 = 0.39894228f * expf(-0.5f * d2 * d2) / (1 + 0.2316419f * fabsf(d2));
        if (d1 > 0)
            c1 = 1 - c1;
        if (d2 > 0)
            c2 = 1 - c2;
        float discount = expf(-rate * years);
        float call = price * c1 - strike * discount * c2, put = strike * discount * (1 - c2) - price * (1 - c1);
        calls += call, puts += put;
    }
    printf("%.2f %.2f\n", calls, puts);
    free(A), free(B), free(D), free(E);
}

#endif

int main(void)
{
    int sizes[] = {0, 1, 2, 5, 70};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
