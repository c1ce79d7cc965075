/*
 * Exponentials. x = n ln 2 + r with |r| <= ln(2)/2, a polynomial for e^r, and a scaling by 2^n that
 * rounds once where the result is subnormal. Outside the range the reduced values are meaningless
 * and a selection at the end replaces the result; a NaN comes through the polynomial.
 */
#include "../devmath.h"
#include "coefficients.h"
#include "exp_tail.h"
#include "scale.h"

float __gpuc_expf(float x) {
    float sum = __builtin_fmaf(x, LOG2_EF_HI, ROUND_TO_INT_FLOAT);
    float n = sum - ROUND_TO_INT_FLOAT;
    float r = __builtin_fmaf(n, -LN2F_HI, x);
    r = __builtin_fmaf(n, -LN2F_LO, r);
    float q = __builtin_fmaf(exp_tail_float(r), r, 1.0f);
    float result = scale_float(__builtin_fmaf(q, r, 1.0f), rounded_int_float(sum));
    result = x > 89.0f ? INFINITE_FLOAT : result;
    return x < -104.0f ? 0.0f : result;
}

double __gpuc_exp(double x) {
    double sum = __builtin_fma(x, LOG2_E_HI, ROUND_TO_INT_DOUBLE);
    double n = sum - ROUND_TO_INT_DOUBLE;
    double r = __builtin_fma(n, -LN2_HI, x);
    r = __builtin_fma(n, -LN2_LO, r);
    double q = __builtin_fma(exp_tail_double(r), r, 1.0);
    double result = scale_double(__builtin_fma(q, r, 1.0), rounded_int_double(sum));
    result = x > 710.0 ? INFINITE_DOUBLE : result;
    return x < -746.0 ? 0.0 : result;
}

float __gpuc_exp2f(float x) {
    float sum = x + ROUND_TO_INT_FLOAT;
    float r = x - (sum - ROUND_TO_INT_FLOAT);
    float q = EXP2F_5;
    q = __builtin_fmaf(q, r, EXP2F_4);
    q = __builtin_fmaf(q, r, EXP2F_3);
    q = __builtin_fmaf(q, r, EXP2F_2);
    q = __builtin_fmaf(q, r, EXP2F_1);
    q = __builtin_fmaf(q, r, EXP2F_0);
    float result = scale_float(__builtin_fmaf(q, r, 1.0f), rounded_int_float(sum));
    result = x >= 128.0f ? INFINITE_FLOAT : result;
    return x < -151.0f ? 0.0f : result;
}

double __gpuc_exp2(double x) {
    double sum = x + ROUND_TO_INT_DOUBLE;
    double r = x - (sum - ROUND_TO_INT_DOUBLE);
    double q = EXP2_11;
    q = __builtin_fma(q, r, EXP2_10);
    q = __builtin_fma(q, r, EXP2_9);
    q = __builtin_fma(q, r, EXP2_8);
    q = __builtin_fma(q, r, EXP2_7);
    q = __builtin_fma(q, r, EXP2_6);
    q = __builtin_fma(q, r, EXP2_5);
    q = __builtin_fma(q, r, EXP2_4);
    q = __builtin_fma(q, r, EXP2_3);
    q = __builtin_fma(q, r, EXP2_2);
    q = __builtin_fma(q, r, EXP2_1);
    q = __builtin_fma(q, r, EXP2_0);
    double result = scale_double(__builtin_fma(q, r, 1.0), rounded_int_double(sum));
    result = x >= 1024.0 ? INFINITE_DOUBLE : result;
    return x < -1076.0 ? 0.0 : result;
}

float __gpuc_exp10f(float x) {
    float sum = __builtin_fmaf(x, LOG2_10F, ROUND_TO_INT_FLOAT);
    float n = sum - ROUND_TO_INT_FLOAT;
    float r = __builtin_fmaf(n, -LOG10_2F_HI, x);
    r = __builtin_fmaf(n, -LOG10_2F_LO, r);
    float q = EXP10F_6;
    q = __builtin_fmaf(q, r, EXP10F_5);
    q = __builtin_fmaf(q, r, EXP10F_4);
    q = __builtin_fmaf(q, r, EXP10F_3);
    q = __builtin_fmaf(q, r, EXP10F_2);
    q = __builtin_fmaf(q, r, EXP10F_1);
    q = __builtin_fmaf(q, r, EXP10F_0);
    float result = scale_float(__builtin_fmaf(q, r, 1.0f), rounded_int_float(sum));
    result = x > 39.0f ? INFINITE_FLOAT : result;
    return x < -46.0f ? 0.0f : result;
}

double __gpuc_exp10(double x) {
    double sum = __builtin_fma(x, LOG2_10, ROUND_TO_INT_DOUBLE);
    double n = sum - ROUND_TO_INT_DOUBLE;
    double r = __builtin_fma(n, -LOG10_2_HI, x);
    r = __builtin_fma(n, -LOG10_2_LO, r);
    double q = EXP10_11;
    q = __builtin_fma(q, r, EXP10_10);
    q = __builtin_fma(q, r, EXP10_9);
    q = __builtin_fma(q, r, EXP10_8);
    q = __builtin_fma(q, r, EXP10_7);
    q = __builtin_fma(q, r, EXP10_6);
    q = __builtin_fma(q, r, EXP10_5);
    q = __builtin_fma(q, r, EXP10_4);
    q = __builtin_fma(q, r, EXP10_3);
    q = __builtin_fma(q, r, EXP10_2);
    q = __builtin_fma(q, r, EXP10_1);
    q = __builtin_fma(q, r, EXP10_0);
    double result = scale_double(__builtin_fma(q, r, 1.0), rounded_int_double(sum));
    result = x > 309.0 ? INFINITE_DOUBLE : result;
    return x < -324.0 ? 0.0 : result;
}

/*
 * e^x - 1 = (s - 1) + s r + s r^2/2 + s r^2 (q - 1/2) with s = 2^n. The first three terms are added
 * without loss, the rest is small against them. s is halved so that n = 128 (1024) does not overflow too early.
 */
float __gpuc_expm1f(float x) {
    float sum = __builtin_fmaf(x, LOG2_EF_HI, ROUND_TO_INT_FLOAT);
    float n = sum - ROUND_TO_INT_FLOAT;
    float near = __builtin_fmaf(n, -LN2F_HI, x);
    float r = __builtin_fmaf(n, -LN2F_LO, near);
    float rest = __builtin_fmaf(n, -LN2F_LO, near - r);
    float s = power_of_two_float((int)((unsigned)rounded_int_float(sum) - 1u));
    float high = s - 0.5f;
    float low = s * r;
    float total = high + low;
    float back = total - high;
    float lost = (high - (total - back)) + (low - back) + s * rest;
    /* s - 1/2 itself is rounded where it hardly counts. */
    lost = lost + ((s - high) - 0.5f);
    float square = r * r;
    float square_low = __builtin_fmaf(r, r, -square);
    float half_square = 0.5f * s * square;
    float sum_high = total + half_square;
    lost = lost + ((total - sum_high) + half_square);
    float tail = __builtin_fmaf(square, exp_tail_float(r) - 0.5f, 0.5f * square_low);
    float result = 2.0f * (sum_high + __builtin_fmaf(s, tail, lost));
    result = x > 89.0f ? INFINITE_FLOAT : result;
    result = x < -18.0f ? -1.0f : result;
    return __builtin_fabsf(x) < 0x1p-26f ? x : result;
}

double __gpuc_expm1(double x) {
    double sum = __builtin_fma(x, LOG2_E_HI, ROUND_TO_INT_DOUBLE);
    double n = sum - ROUND_TO_INT_DOUBLE;
    double near = __builtin_fma(n, -LN2_HI, x);
    double r = __builtin_fma(n, -LN2_LO, near);
    double rest = __builtin_fma(n, -LN2_LO, near - r);
    double s = power_of_two_double((int)((unsigned)rounded_int_double(sum) - 1u));
    double high = s - 0.5;
    double low = s * r;
    double total = high + low;
    double back = total - high;
    double lost = (high - (total - back)) + (low - back) + s * rest;
    /* s - 1/2 itself is rounded where it hardly counts. */
    lost = lost + ((s - high) - 0.5);
    double square = r * r;
    double square_low = __builtin_fma(r, r, -square);
    double half_square = 0.5 * s * square;
    double sum_high = total + half_square;
    lost = lost + ((total - sum_high) + half_square);
    double tail = __builtin_fma(square, exp_tail_double(r) - 0.5, 0.5 * square_low);
    double result = 2.0 * (sum_high + __builtin_fma(s, tail, lost));
    result = x > 710.0 ? INFINITE_DOUBLE : result;
    result = x < -38.0 ? -1.0 : result;
    return __builtin_fabs(x) < 0x1p-55 ? x : result;
}
