/*
 * 1 - erf, from e^(x^2) erfc(x) (1 + 2 x), which is smooth in t = (x - 4) / (x + 4): a polynomial of degree 23, fitted at
 * Chebyshev's points with 60 digits, is off by 2e-18. e^(-x^2) takes the part of the square that its rounding loses.
 */
#include "../devmath.h"
#include "scale.h"

double __gpuc_erfc(double x) {
    double a = __builtin_fmin(__builtin_fabs(x), 28.0);
    double t = (a - 4.0) / (a + 4.0);
    double p = 0x1.5b62d008c2d94p-30;
    p = __builtin_fma(p, t, 0x1.00cd8e2f991c3p-29);
    p = __builtin_fma(p, t, -0x1.e432644b5660ap-27);
    p = __builtin_fma(p, t, -0x1.353a87be1712dp-26);
    p = __builtin_fma(p, t, 0x1.d8b4353ca5555p-24);
    p = __builtin_fma(p, t, 0x1.40eafd5947706p-24);
    p = __builtin_fma(p, t, -0x1.bb2bbabb02ec5p-21);
    p = __builtin_fma(p, t, 0x1.3b713b970cad2p-22);
    p = __builtin_fma(p, t, 0x1.7f2d5af276b00p-18);
    p = __builtin_fma(p, t, -0x1.788ca4d342b82p-17);
    p = __builtin_fma(p, t, -0x1.9959f4cc5a01cp-16);
    p = __builtin_fma(p, t, 0x1.3be068698b9ccp-13);
    p = __builtin_fma(p, t, -0x1.a1df1e2a70512p-13);
    p = __builtin_fma(p, t, -0x1.8d4a9c3d62797p-11);
    p = __builtin_fma(p, t, 0x1.49c6727af5d87p-8);
    p = __builtin_fma(p, t, -0x1.096238828c1cbp-6);
    p = __builtin_fma(p, t, 0x1.3079edf6aa5a8p-5);
    p = __builtin_fma(p, t, -0x1.0fb06dfe56142p-4);
    p = __builtin_fma(p, t, 0x1.7fee004e112c3p-4);
    p = __builtin_fma(p, t, -0x1.9ddb23c3e8874p-4);
    p = __builtin_fma(p, t, 0x1.16ecefcfa540ep-4);
    p = __builtin_fma(p, t, 0x1.f7f5df66fd6a7p-7);
    p = __builtin_fma(p, t, -0x1.1df1ad154a28fp-3);
    p = __builtin_fma(p, t, 0x1.3ba5916e9fd7fp+0);
    double square = a * a;
    double lost = __builtin_fma(a, a, -square);
    double e = __gpuc_exp(-square);
    e = __builtin_fma(-e, lost, e);
    double tail = e * (p / __builtin_fma(2.0, a, 1.0));
    double result = x < 0.0 ? 2.0 - tail : tail;
    result = a < 0.5 ? 1.0 - __gpuc_erf(x) : result;
    return x != x ? x + x : result;
}

float __gpuc_erfcf(float x) { return (float)__gpuc_erfc((double)x); }
