/* Rounding to integers, signs, minima and maxima: every result is exact. */
#include "../devmath.h"

float __gpuc_fabsf(float x) { return __builtin_fabsf(x); }
float __gpuc_floorf(float x) { return __builtin_floorf(x); }
float __gpuc_ceilf(float x) { return __builtin_ceilf(x); }
float __gpuc_truncf(float x) { return __builtin_truncf(x); }
float __gpuc_rintf(float x) { return __builtin_rintf(x); }
float __gpuc_nearbyintf(float x) { return __builtin_rintf(x); }
float __gpuc_copysignf(float x, float y) { return __builtin_copysignf(x, y); }
float __gpuc_fminf(float x, float y) { return __builtin_fminf(x, y); }
float __gpuc_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
float __gpuc_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

double __gpuc_fabs(double x) { return __builtin_fabs(x); }
double __gpuc_floor(double x) { return __builtin_floor(x); }
double __gpuc_ceil(double x) { return __builtin_ceil(x); }
double __gpuc_trunc(double x) { return __builtin_trunc(x); }
double __gpuc_rint(double x) { return __builtin_rint(x); }
double __gpuc_nearbyint(double x) { return __builtin_rint(x); }
double __gpuc_copysign(double x, double y) { return __builtin_copysign(x, y); }
double __gpuc_fmin(double x, double y) { return __builtin_fmin(x, y); }
double __gpuc_fmax(double x, double y) { return __builtin_fmax(x, y); }
double __gpuc_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* Halves go away from zero. Adding 0.5 before truncation would round 0.5 - ulp up. */
float __gpuc_roundf(float x) {
    float whole = __builtin_truncf(x);
    float step = __builtin_fabsf(x - whole) >= 0.5f ? 1.0f : 0.0f;
    return __builtin_copysignf(__builtin_fabsf(whole) + step, x);
}

double __gpuc_round(double x) {
    double whole = __builtin_trunc(x);
    double step = __builtin_fabs(x - whole) >= 0.5 ? 1.0 : 0.0;
    return __builtin_copysign(__builtin_fabs(whole) + step, x);
}

/* Written so that a NaN in either argument makes the comparison false and the difference NaN. */
float __gpuc_fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
double __gpuc_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
