/*
 * Hyperbolic functions from e^a = 2^n (e + e_low), a >= 0, carried in two numbers, so that the
 * differences e^a - e^-a and e^2a - 1 keep their relative accuracy down to small arguments.
 */
#include "../devmath.h"
#include "coefficients.h"
#include "exp_tail.h"
#include "scale.h"

/* Which function is computed; a constant in every call. */
#define HYPERBOLIC_SINH 0
#define HYPERBOLIC_COSH 1
#define HYPERBOLIC_TANH 2

static inline float hyperbolic_float(float x, int which) {
    float magnitude = __builtin_fabsf(x);
    /* Beyond these the result is 1 or infinite. */
    float a = which == HYPERBOLIC_TANH ? __builtin_fminf(2.0f * magnitude, 30.0f)
                                     : __builtin_fminf(magnitude, 100.0f);
    float shifted = __builtin_fmaf(a, LOG2_EF_HI, ROUND_TO_INT_FLOAT);
    float n = shifted - ROUND_TO_INT_FLOAT;
    int exponent = rounded_int_float(shifted);
    float near = __builtin_fmaf(n, -LN2F_HI, a);
    float r = __builtin_fmaf(n, -LN2F_LO, near);
    float r_low = __builtin_fmaf(n, -LN2F_LO, near - r);
    float q = exp_tail_float(r);
    /* e^r - 1 = r + tail; the tail takes what r lost. */
    float tail = __builtin_fmaf(r * r, q, __builtin_fmaf(r, r_low, r_low));
    float high = 1.0f + r;
    float low = (1.0f - high) + r + tail;
    float e = high + low;
    float e_low = (high - e) + low;

    float result;
    if (which == HYPERBOLIC_TANH) {
        /* (e^2a - 1) / (e^2a + 1) */
        float s = power_of_two_float(exponent);
        float grown = e * s;
        float top = grown - 1.0f;
        float top_low = __builtin_fmaf(e_low, s, (grown - top) - 1.0f);
        /* Without a scaling the sum 1 + r + tail less 1 loses nothing. */
        top_low = exponent == 0 ? (r - top) + tail : top_low;
        float bottom = grown + 1.0f;
        float bottom_low = __builtin_fmaf(e_low, s, (grown - bottom) + 1.0f);
        float inverse = 1.0f / bottom;
        float quotient = top * inverse;
        float rest = __builtin_fmaf(-quotient, bottom, top);
        rest = __builtin_fmaf(-quotient, bottom_low, rest + top_low);
        result = __builtin_fmaf(rest, inverse, quotient);
    } else {
        /* (e^a -+ e^-a) / 2; e^-a does not count where it would need a subnormal scale. */
        float inverse = 1.0f / e;
        float inverse_low = __builtin_fmaf(-e, inverse, 1.0f);
        inverse_low = __builtin_fmaf(-e_low, inverse, inverse_low) * inverse;
        float s = exponent < 60 ? power_of_two_float(-2 * exponent) : 0.0f;
        s = which == HYPERBOLIC_SINH ? -s : s;
        float sum = __builtin_fmaf(inverse, s, e);
        float sum_low = __builtin_fmaf(inverse, s, e - sum);
        sum_low = sum_low + __builtin_fmaf(inverse_low, s, e_low);
        result = scale_float(sum + sum_low, exponent - 1);
    }
    if (which != HYPERBOLIC_COSH) {
        result = magnitude < 0x1p-13f ? magnitude : result;
        result = __builtin_copysignf(result, x);
    }
    return x != x ? x + x : result;
}

static inline double hyperbolic_double(double x, int which) {
    double magnitude = __builtin_fabs(x);
    /* Beyond these the result is 1 or infinite. */
    double a = which == HYPERBOLIC_TANH ? __builtin_fmin(2.0 * magnitude, 50.0)
                                     : __builtin_fmin(magnitude, 750.0);
    double shifted = __builtin_fma(a, LOG2_E_HI, ROUND_TO_INT_DOUBLE);
    double n = shifted - ROUND_TO_INT_DOUBLE;
    int exponent = rounded_int_double(shifted);
    double near = __builtin_fma(n, -LN2_HI, a);
    double r = __builtin_fma(n, -LN2_LO, near);
    double r_low = __builtin_fma(n, -LN2_LO, near - r);
    double q = exp_tail_double(r);
    /* e^r - 1 = r + tail; the tail takes what r lost. */
    double tail = __builtin_fma(r * r, q, __builtin_fma(r, r_low, r_low));
    double high = 1.0 + r;
    double low = (1.0 - high) + r + tail;
    double e = high + low;
    double e_low = (high - e) + low;

    double result;
    if (which == HYPERBOLIC_TANH) {
        /* (e^2a - 1) / (e^2a + 1) */
        double s = power_of_two_double(exponent);
        double grown = e * s;
        double top = grown - 1.0;
        double top_low = __builtin_fma(e_low, s, (grown - top) - 1.0);
        /* Without a scaling the sum 1 + r + tail less 1 loses nothing. */
        top_low = exponent == 0 ? (r - top) + tail : top_low;
        double bottom = grown + 1.0;
        double bottom_low = __builtin_fma(e_low, s, (grown - bottom) + 1.0);
        double inverse = 1.0 / bottom;
        double quotient = top * inverse;
        double rest = __builtin_fma(-quotient, bottom, top);
        rest = __builtin_fma(-quotient, bottom_low, rest + top_low);
        result = __builtin_fma(rest, inverse, quotient);
    } else {
        /* (e^a -+ e^-a) / 2; e^-a does not count where it would need a subnormal scale. */
        double inverse = 1.0 / e;
        double inverse_low = __builtin_fma(-e, inverse, 1.0);
        inverse_low = __builtin_fma(-e_low, inverse, inverse_low) * inverse;
        double s = exponent < 500 ? power_of_two_double(-2 * exponent) : 0.0;
        s = which == HYPERBOLIC_SINH ? -s : s;
        double sum = __builtin_fma(inverse, s, e);
        double sum_low = __builtin_fma(inverse, s, e - sum);
        sum_low = sum_low + __builtin_fma(inverse_low, s, e_low);
        result = scale_double(sum + sum_low, exponent - 1);
    }
    if (which != HYPERBOLIC_COSH) {
        result = magnitude < 0x1p-27 ? magnitude : result;
        result = __builtin_copysign(result, x);
    }
    return x != x ? x + x : result;
}

float __gpuc_sinhf(float x) { return hyperbolic_float(x, HYPERBOLIC_SINH); }
float __gpuc_coshf(float x) { return hyperbolic_float(x, HYPERBOLIC_COSH); }
float __gpuc_tanhf(float x) { return hyperbolic_float(x, HYPERBOLIC_TANH); }
double __gpuc_sinh(double x) { return hyperbolic_double(x, HYPERBOLIC_SINH); }
double __gpuc_cosh(double x) { return hyperbolic_double(x, HYPERBOLIC_COSH); }
double __gpuc_tanh(double x) { return hyperbolic_double(x, HYPERBOLIC_TANH); }
