/*
 * The gamma function and the logarithm of its absolute value.
 *
 * Arguments below 12 are moved there by the recurrence, then Stirling's series counts; what the move rounds away is put back by
 * the derivative. Negative arguments are reflected. Around its zeros at 1 and 2 the logarithm is its Taylor series (zeta
 * function); around those between negative integers only its absolute error is small.
 */
#include "../devmath.h"
#include "scale.h"

#define HALF_LOG_2_PI 0x1.d67f1c864beb5p-1
#define SQRT_2_PI 0x1.40d931ff62706p+1
#define PI_DOUBLE 0x1.921fb54442d18p+1

/* The sum behind Stirling's formula. */
static inline double stirling(double y) {
    double inverse = 1.0 / y;
    double inverse_square = inverse * inverse;
    double p = -0x1.e4286cb0f5398p-6;
    p = __builtin_fma(p, inverse_square, 0x1.a41a41a41a41ap-8);
    p = __builtin_fma(p, inverse_square, -0x1.f6ab0d9993c7dp-10);
    p = __builtin_fma(p, inverse_square, 0x1.b951e2b18ff23p-11);
    p = __builtin_fma(p, inverse_square, -0x1.3813813813814p-11);
    p = __builtin_fma(p, inverse_square, 0x1.a01a01a01a01ap-11);
    p = __builtin_fma(p, inverse_square, -0x1.6c16c16c16c17p-9);
    p = __builtin_fma(p, inverse_square, 0x1.5555555555555p-4);
    return p * inverse;
}

/* sin(pi x) for any x. */
static inline double sine_of_pi(double x) {
    double r = x - 2.0 * __builtin_rint(0.5 * x);
    double a = __builtin_fabs(r);
    double folded = a > 0.5 ? 1.0 - a : a;
    double s = __gpuc_sin(PI_DOUBLE * folded);
    return __builtin_copysign(a == 1.0 ? 0.0 : s, r);
}

/* The product x (x + 1) ... of `steps` factors, 12 at most. */
static inline double rise(double x, double steps) {
    double product = 1.0;
    for (int i = 0; i < 12; i++) {
        product = i < steps ? product * (x + i) : product;
    }
    return product;
}

/* What the rounding of its sums and products has left out of rise(x, steps), as a part of it. */
static inline double lost_of_rise(double x, double steps) {
    double product = 1.0;
    double error = 0.0;
    for (int i = 0; i < 12; i++) {
        double factor = x + i;
        double added = factor - x;
        double lost = (x - (factor - added)) + (i - added);
        double next = product * factor;
        double rounded = __builtin_fma(product, factor, -next);
        double sum = __builtin_fma(error, factor, __builtin_fma(product, lost, rounded));
        error = i < steps ? sum : error;
        product = i < steps ? next : product;
    }
    return error / product;
}

static inline double steps_to_twelve(double x) {
    return x < 12.0 ? __builtin_ceil(12.0 - x) : 0.0;
}

/* Gamma of x > 0. */
static inline double gamma_positive(double x) {
    double n = steps_to_twelve(x);
    double y = x + n;
    double lost = x - (y - n);
    double half = __gpuc_pow(y, 0.5 * y - 0.25);
    double value = half * (__gpuc_exp(-y) * SQRT_2_PI) * half;
    double series = __gpuc_expm1(stirling(y)) + lost * (__gpuc_log(y) - 0.5 / y);
    series = series - lost_of_rise(x, n);
    value = __builtin_fma(value, series, value);
    return x > 171.7 ? INFINITE_DOUBLE : value / rise(x, n);
}

/* q / Gamma of x > 12, where that may be beyond the largest number. */
static inline double over_gamma(double q, double x) {
    double half = __gpuc_pow(x, 0.5 * x - 0.25);
    double rest = __gpuc_exp(-x) * SQRT_2_PI;
    return q / (half * rest * (1.0 + __gpuc_expm1(stirling(x)))) / half;
}

double __gpuc_tgamma(double x) {
    double a = __builtin_fabs(x);
    int is_whole = __builtin_floor(x) == x;
    /* 1/x is the nearest number where x is so small. */
    double result = 1.0 / x;
    if (!(a < 0x1p-54)) {
        double bounded = __builtin_fmin(a, 190.0);
        double positive = gamma_positive(bounded);
        /* Gamma(x) = -pi / (x sin(pi x) Gamma(-x)) */
        double quotient = -PI_DOUBLE / (x * sine_of_pi(x));
        double negative = a > 170.0 ? over_gamma(quotient, bounded) : quotient / positive;
        negative = a > 184.0 ? __builtin_copysign(0.0, __builtin_floor(0.5 * __builtin_floor(x)) * 2.0 == __builtin_floor(x) ? 1.0 : -1.0) : negative;
        negative = is_whole ? NAN_DOUBLE : negative;
        result = x < 0.0 ? negative : positive;
    }
    result = x == INFINITE_DOUBLE ? x : result;
    return x != x ? x + x : result;
}

/* ln Gamma of x > 0. */
static inline double log_gamma_positive(double x) {
    double result;
    double t = x < 1.5 ? x - 1.0 : x - 2.0;
    if (__builtin_fabs(t) <= 0.25) {
        double first;
        double second;
        {
            double p = -0x1.1a7b961a7b9aap-5;
            p = __builtin_fma(p, t, 0x1.24924936db7bcp-5);
            p = __builtin_fma(p, t, -0x1.2f684c00002bcp-5);
            p = __builtin_fma(p, t, 0x1.3b13b189d925ep-5);
            p = __builtin_fma(p, t, -0x1.47ae151eb9fb7p-5);
            p = __builtin_fma(p, t, 0x1.555556aaafdcdp-5);
            p = __builtin_fma(p, t, -0x1.642c88591b66dp-5);
            p = __builtin_fma(p, t, 0x1.745d1d1778df9p-5);
            p = __builtin_fma(p, t, -0x1.86186db77bfbfp-5);
            p = __builtin_fma(p, t, 0x1.9999b3352d5bap-5);
            p = __builtin_fma(p, t, -0x1.af28a1b5688a0p-5);
            p = __builtin_fma(p, t, 0x1.c71ce3a20b419p-5);
            p = __builtin_fma(p, t, -0x1.e1e2d311e8abdp-5);
            p = __builtin_fma(p, t, 0x1.00010064cdeb2p-4);
            p = __builtin_fma(p, t, -0x1.11133476e7fe0p-4);
            p = __builtin_fma(p, t, 0x1.2496df8320c5fp-4);
            p = __builtin_fma(p, t, -0x1.3b1d971fc5985p-4);
            p = __builtin_fma(p, t, 0x1.556ad63243bc4p-4);
            p = __builtin_fma(p, t, -0x1.748c33114c6d6p-4);
            p = __builtin_fma(p, t, 0x1.9a01e385d5f8fp-4);
            p = __builtin_fma(p, t, -0x1.c806706d57db4p-4);
            p = __builtin_fma(p, t, 0x1.010b36af86397p-3);
            p = __builtin_fma(p, t, -0x1.2703a1dcea3aep-3);
            p = __builtin_fma(p, t, 0x1.5b40cb100c306p-3);
            p = __builtin_fma(p, t, -0x1.a8b9c17aa6149p-3);
            p = __builtin_fma(p, t, 0x1.151322ac7d848p-2);
            p = __builtin_fma(p, t, -0x1.9a4d55beab2d7p-2);
            p = __builtin_fma(p, t, 0x1.a51a6625307d3p-1);
            p = __builtin_fma(p, t, -0x1.2788cfc6fb619p-1);
            first = p;
        }
        {
            double p = -0x1.af5a6cbbf8a97p-24;
            p = __builtin_fma(p, t, 0x1.c76bbb3f07a4dp-23);
            p = __builtin_fma(p, t, -0x1.e2600d93cfd2fp-22);
            p = __builtin_fma(p, t, 0x1.0064cdeb22f0fp-20);
            p = __builtin_fma(p, t, -0x1.11b2eb7679541p-19);
            p = __builtin_fma(p, t, 0x1.2597a39f34aacp-18);
            p = __builtin_fma(p, t, -0x1.3cbc963ce2243p-17);
            p = __builtin_fma(p, t, 0x1.580dcee66eb02p-16);
            p = __builtin_fma(p, t, -0x1.78de5bd7c81efp-15);
            p = __builtin_fma(p, t, 0x1.a127b0f17d65ap-14);
            p = __builtin_fma(p, t, -0x1.d3fd4c76d2fc8p-13);
            p = __builtin_fma(p, t, 0x1.0b36af86396e9p-11);
            p = __builtin_fma(p, t, -0x1.38ac5c2bf8e08p-10);
            p = __builtin_fma(p, t, 0x1.7add6eadb6c30p-9);
            p = __builtin_fma(p, t, -0x1.e404fc218f5f2p-8);
            p = __builtin_fma(p, t, 0x1.51322ac7d8483p-6);
            p = __builtin_fma(p, t, -0x1.13e001a557607p-4);
            p = __builtin_fma(p, t, 0x1.4a34cc4a60fa6p-2);
            p = __builtin_fma(p, t, 0x1.b0ee6072093cep-2);
            second = p;
        }
        result = t * (x < 1.5 ? first : second);
    } else {
        double n = steps_to_twelve(x);
        double y = x + n;
        double lost = x - (y - n);
        double logarithm = __gpuc_log(y);
        double huge = y * (logarithm - 1.0);
        double sum = (y - 0.5) * logarithm - y + HALF_LOG_2_PI + stirling(y);
        sum = __builtin_fma(lost, logarithm - 0.5 / y, sum);
        sum = y > 0x1p58 ? huge : sum;
        result = x < 12.0 ? sum - __gpuc_log(rise(x, n)) : sum;
    }
    return result;
}

double __gpuc_lgamma(double x) {
    double a = __builtin_fabs(x);
    double result = -__gpuc_log(a);
    if (!(a < 0x1p-54)) {
        double bounded = a < INFINITE_DOUBLE ? a : 1.0;
        double positive = log_gamma_positive(bounded);
        double s = __builtin_fabs(x * sine_of_pi(x < INFINITE_DOUBLE && -x < INFINITE_DOUBLE ? x : 0.5));
        double negative = __gpuc_log(PI_DOUBLE / s) - positive;
        negative = __builtin_floor(x) == x ? INFINITE_DOUBLE : negative;
        result = x < 0.0 ? negative : positive;
    }
    result = a == INFINITE_DOUBLE ? INFINITE_DOUBLE : result;
    return x != x ? x + x : result;
}

/* The sign of gamma, which lgamma_r stores. */
int __gpuc_lgamma_sign(double x) {
    double below = __builtin_floor(x);
    int odd = below != 2.0 * __builtin_floor(0.5 * below);
    int negative_zero = x == 0.0 && __gpuc_double_as_long(x) < 0;
    return negative_zero || (x < 0.0 && odd && below != x) ? -1 : 1;
}

float __gpuc_tgammaf(float x) { return (float)__gpuc_tgamma((double)x); }
float __gpuc_lgammaf(float x) { return (float)__gpuc_lgamma((double)x); }
int __gpuc_lgamma_signf(float x) { return __gpuc_lgamma_sign((double)x); }
