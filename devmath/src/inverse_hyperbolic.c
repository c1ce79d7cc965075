/* Inverse hyperbolic functions by log1p, whose arguments keep their relative accuracy down to small numbers. */
#include "../devmath.h"
#include "scale.h"

#define INVERSE_LN_2 0x1.62e42fefa39efp-1

double __gpuc_asinh(double x) {
    double a = __builtin_fabs(x);
    double small = a < 0x1p28 ? a : 1.0;
    double square = small * small;
    double near = __gpuc_log1p(small + square / (1.0 + __builtin_sqrt(square + 1.0)));
    double far = __gpuc_log(a) + INVERSE_LN_2;
    return __builtin_copysign(a < 0x1p28 || x != x ? (x != x ? x + x : near) : far, x);
}

double __gpuc_acosh(double x) {
    double t = x - 1.0;
    double small = x < 0x1p28 ? t : 1.0;
    double near = __gpuc_log1p(small + __builtin_sqrt(__builtin_fma(small, small, small + small)));
    double far = __gpuc_log(x) + INVERSE_LN_2;
    double result = x < 0x1p28 ? near : far;
    result = x < 1.0 ? NAN_DOUBLE : result;
    return x != x ? x + x : result;
}

double __gpuc_atanh(double x) {
    double a = __builtin_fabs(x);
    double inside = a < 1.0 ? a : 0.5;
    double result = 0.5 * __gpuc_log1p(2.0 * inside / (1.0 - inside));
    result = a == 1.0 ? INFINITE_DOUBLE : result;
    result = a < 0x1p-28 ? a : result;
    result = a > 1.0 ? NAN_DOUBLE : result;
    return x != x ? x + x : __builtin_copysign(result, x);
}

float __gpuc_asinhf(float x) { return (float)__gpuc_asinh((double)x); }
float __gpuc_acoshf(float x) { return (float)__gpuc_acosh((double)x); }
float __gpuc_atanhf(float x) { return (float)__gpuc_atanh((double)x); }
