/* Inverse trigonometric functions: polynomials after a reduction to [0, 1] or [0, 1/2]. */
#include "../devmath.h"
#include "coefficients.h"
#include "scale.h"

/* atan(t) for 0 <= t <= 1. */
static inline float atan_unit_float(float t) {
    float z = t * t;
    float q = ATANF_8;
    q = __builtin_fmaf(q, z, ATANF_7);
    q = __builtin_fmaf(q, z, ATANF_6);
    q = __builtin_fmaf(q, z, ATANF_5);
    q = __builtin_fmaf(q, z, ATANF_4);
    q = __builtin_fmaf(q, z, ATANF_3);
    q = __builtin_fmaf(q, z, ATANF_2);
    q = __builtin_fmaf(q, z, ATANF_1);
    q = __builtin_fmaf(q, z, ATANF_0);
    return __builtin_fmaf(q * z, t, t);
}

static inline double atan_unit_double(double t) {
    double z = t * t;
    double q = ATAN_20;
    q = __builtin_fma(q, z, ATAN_19);
    q = __builtin_fma(q, z, ATAN_18);
    q = __builtin_fma(q, z, ATAN_17);
    q = __builtin_fma(q, z, ATAN_16);
    q = __builtin_fma(q, z, ATAN_15);
    q = __builtin_fma(q, z, ATAN_14);
    q = __builtin_fma(q, z, ATAN_13);
    q = __builtin_fma(q, z, ATAN_12);
    q = __builtin_fma(q, z, ATAN_11);
    q = __builtin_fma(q, z, ATAN_10);
    q = __builtin_fma(q, z, ATAN_9);
    q = __builtin_fma(q, z, ATAN_8);
    q = __builtin_fma(q, z, ATAN_7);
    q = __builtin_fma(q, z, ATAN_6);
    q = __builtin_fma(q, z, ATAN_5);
    q = __builtin_fma(q, z, ATAN_4);
    q = __builtin_fma(q, z, ATAN_3);
    q = __builtin_fma(q, z, ATAN_2);
    q = __builtin_fma(q, z, ATAN_1);
    q = __builtin_fma(q, z, ATAN_0);
    return __builtin_fma(q * z, t, t);
}

/* q with asin(s) = s + s z q(z), z = s^2 <= 1/4. */
static inline float asin_tail_float(float z) {
    float q = ASINF_4;
    q = __builtin_fmaf(q, z, ASINF_3);
    q = __builtin_fmaf(q, z, ASINF_2);
    q = __builtin_fmaf(q, z, ASINF_1);
    return __builtin_fmaf(q, z, ASINF_0);
}

static inline double asin_tail_double(double z) {
    double q = ASIN_12;
    q = __builtin_fma(q, z, ASIN_11);
    q = __builtin_fma(q, z, ASIN_10);
    q = __builtin_fma(q, z, ASIN_9);
    q = __builtin_fma(q, z, ASIN_8);
    q = __builtin_fma(q, z, ASIN_7);
    q = __builtin_fma(q, z, ASIN_6);
    q = __builtin_fma(q, z, ASIN_5);
    q = __builtin_fma(q, z, ASIN_4);
    q = __builtin_fma(q, z, ASIN_3);
    q = __builtin_fma(q, z, ASIN_2);
    q = __builtin_fma(q, z, ASIN_1);
    return __builtin_fma(q, z, ASIN_0);
}

float __gpuc_atanf(float x) {
    float a = __builtin_fabsf(x);
    int reciprocal = a > 1.0f;
    float angle = atan_unit_float(reciprocal ? 1.0f / a : a);
    angle = reciprocal ? HALF_PIF_HI - (angle - HALF_PIF_MID) : angle;
    return x != x ? x + x : __builtin_copysignf(angle, x);
}

double __gpuc_atan(double x) {
    double a = __builtin_fabs(x);
    int reciprocal = a > 1.0;
    double angle = atan_unit_double(reciprocal ? 1.0 / a : a);
    angle = reciprocal ? HALF_PI_HI - (angle - HALF_PI_MID) : angle;
    return x != x ? x + x : __builtin_copysign(angle, x);
}

float __gpuc_atan2f(float y, float x) {
    float a = __builtin_fabsf(x);
    float b = __builtin_fabsf(y);
    float large = a > b ? a : b;
    float small = a > b ? b : a;
    float ratio = small / large;
    /* 0/0 and infinity/infinity: C99 F.9.1.4. */
    ratio = large == 0.0f ? 0.0f : ratio;
    ratio = small == INFINITE_FLOAT ? 1.0f : ratio;
    float angle = atan_unit_float(ratio);
    angle = b > a ? HALF_PIF_HI - (angle - HALF_PIF_MID) : angle;
    int left = __gpuc_float_as_int(x) < 0;
    angle = left ? PIF_HI - (angle - PIF_LO) : angle;
    return x != x || y != y ? x + y : __builtin_copysignf(angle, y);
}

double __gpuc_atan2(double y, double x) {
    double a = __builtin_fabs(x);
    double b = __builtin_fabs(y);
    double large = a > b ? a : b;
    double small = a > b ? b : a;
    double ratio = small / large;
    /* 0/0 and infinity/infinity: C99 F.9.1.4. */
    ratio = large == 0.0 ? 0.0 : ratio;
    ratio = small == INFINITE_DOUBLE ? 1.0 : ratio;
    double angle = atan_unit_double(ratio);
    angle = b > a ? HALF_PI_HI - (angle - HALF_PI_MID) : angle;
    int left = __gpuc_double_as_long(x) < 0ll;
    angle = left ? PI_HI - (angle - PI_LO) : angle;
    return x != x || y != y ? x + y : __builtin_copysign(angle, y);
}

/*
 * Above 1/2: asin(x) = pi/2 - 2 asin(s) and acos(x) = 2 asin(s) with s = sqrt((1 - x)/2), where the
 * argument of the root is exact. The root of a negative number makes the NaN for |x| > 1. acos
 * takes in what the root's rounding lost.
 */
float __gpuc_asinf(float x) {
    float a = __builtin_fabsf(x);
    int outer = a > 0.5f;
    float z = outer ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float s = outer ? __builtin_sqrtf(z) : a;
    float tail = s * z * asin_tail_float(z);
    float angle = s + tail;
    float near = HALF_PIF_HI - 2.0f * s;
    float lost = (HALF_PIF_HI - near) - 2.0f * s;
    float mirrored = near + (lost - (2.0f * tail - HALF_PIF_MID));
    angle = outer ? mirrored : angle;
    return x != x ? x + x : __builtin_copysignf(angle, x);
}

double __gpuc_asin(double x) {
    double a = __builtin_fabs(x);
    int outer = a > 0.5;
    double z = outer ? __builtin_fma(-0.5, a, 0.5) : a * a;
    double s = outer ? __builtin_sqrt(z) : a;
    double tail = s * z * asin_tail_double(z);
    double angle = s + tail;
    double near = HALF_PI_HI - 2.0 * s;
    double lost = (HALF_PI_HI - near) - 2.0 * s;
    double mirrored = near + (lost - (2.0 * tail - HALF_PI_MID));
    angle = outer ? mirrored : angle;
    return x != x ? x + x : __builtin_copysign(angle, x);
}

float __gpuc_acosf(float x) {
    float a = __builtin_fabsf(x);
    int outer = a > 0.5f;
    float z = outer ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float s = outer ? __builtin_sqrtf(z) : a;
    float tail = s * z * asin_tail_float(z);
    float s_low = outer && z > 0.0f ? __builtin_fmaf(-s, s, z) / (2.0f * s) : 0.0f;
    tail = tail + s_low;
    float angle = outer ? 2.0f * s : __builtin_copysignf(s, x);
    float angle_low = outer ? 2.0f * tail : __builtin_copysignf(tail, x);
    float base = outer ? PIF_HI : HALF_PIF_HI;
    float base_low = outer ? PIF_LO : HALF_PIF_MID;
    float near = base - angle;
    float lost = (base - near) - angle;
    float mirrored = near + (lost - (angle_low - base_low));
    return outer && x > 0.0f ? angle + angle_low : mirrored;
}

double __gpuc_acos(double x) {
    double a = __builtin_fabs(x);
    int outer = a > 0.5;
    double z = outer ? __builtin_fma(-0.5, a, 0.5) : a * a;
    double s = outer ? __builtin_sqrt(z) : a;
    double tail = s * z * asin_tail_double(z);
    double s_low = outer && z > 0.0 ? __builtin_fma(-s, s, z) / (2.0 * s) : 0.0;
    tail = tail + s_low;
    double angle = outer ? 2.0 * s : __builtin_copysign(s, x);
    double angle_low = outer ? 2.0 * tail : __builtin_copysign(tail, x);
    double base = outer ? PI_HI : HALF_PI_HI;
    double base_low = outer ? PI_LO : HALF_PI_MID;
    double near = base - angle;
    double lost = (base - near) - angle;
    double mirrored = near + (lost - (angle_low - base_low));
    return outer && x > 0.0 ? angle + angle_low : mirrored;
}
