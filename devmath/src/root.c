/* Square root, reciprocal square root, cube root and the length of a vector. */
#include "../devmath.h"
#include "coefficients.h"
#include "scale.h"

float __gpuc_sqrtf(float x) { return __builtin_sqrtf(x); }
double __gpuc_sqrt(double x) { return __builtin_sqrt(x); }

/* 1/sqrt(x) and a Newton step from an exact residual 1 - x y^2. */
float __gpuc_rsqrtf(float x) {
    float y = 1.0f / __builtin_sqrtf(x);
    float product = x * y;
    float product_low = __builtin_fmaf(x, y, -product);
    float residual = __builtin_fmaf(-product_low, y, __builtin_fmaf(-product, y, 1.0f));
    float refined = __builtin_fmaf(0.5f * y, residual, y);
    return x == 0.0f || x == INFINITE_FLOAT ? y : refined;
}

double __gpuc_rsqrt(double x) {
    double y = 1.0 / __builtin_sqrt(x);
    double product = x * y;
    double product_low = __builtin_fma(x, y, -product);
    double residual = __builtin_fma(-product_low, y, __builtin_fma(-product, y, 1.0));
    double refined = __builtin_fma(0.5 * y, residual, y);
    return x == 0.0 || x == INFINITE_DOUBLE ? y : refined;
}

/*
 * y near x^(-1/3) by dividing the exponent by -3, with |e| < 0.11; then
 * y (1 - e)^(-1/3) with e = 1 - x y^3; then x y^2 and a Newton step from its exact residual.
 */
float __gpuc_cbrtf(float x) {
    float a = __builtin_fabsf(x);
    int tiny = a < 0x1p-126f;
    float v = tiny ? a * 0x1p24f : a;
    float y = __gpuc_int_as_float((int)(CBRTF_START - (unsigned)__gpuc_float_as_int(v) / 3u));
    float e = __builtin_fmaf(-(v * y), y * y, 1.0f);
    float series = __builtin_fmaf(e, CBRTF_3, CBRTF_2);
    y = __builtin_fmaf(y * e, __builtin_fmaf(e, series, CBRTF_1), y);
    float square = y * y;
    float root = v * square;
    float root_square = root * root;
    float root_square_low = __builtin_fmaf(root, root, -root_square);
    float residual = __builtin_fmaf(-root_square_low, root, __builtin_fmaf(-root_square, root, v));
    root = __builtin_fmaf(residual, square * CBRTF_1, root);
    root = tiny ? root * 0x1p-8f : root;
    return a == 0.0f || !(a < INFINITE_FLOAT) ? x + x : __builtin_copysignf(root, x);
}

double __gpuc_cbrt(double x) {
    double a = __builtin_fabs(x);
    int tiny = a < 0x1p-1022;
    double v = tiny ? a * 0x1p54 : a;
    unsigned high = (unsigned)((unsigned long long)__gpuc_double_as_long(v) >> 32);
    unsigned long long guess = (unsigned long long)(CBRT_START - high / 3u) << 32;
    double y = __gpuc_long_as_double((long long)guess);
    double e = __builtin_fma(-(v * y), y * y, 1.0);
    double series = __builtin_fma(e, CBRT_3, CBRT_2);
    y = __builtin_fma(y * e, __builtin_fma(e, series, CBRT_1), y);
    e = __builtin_fma(-(v * y), y * y, 1.0);
    y = __builtin_fma(y * e, __builtin_fma(e, CBRT_2, CBRT_1), y);
    double square = y * y;
    double root = v * square;
    double root_square = root * root;
    double root_square_low = __builtin_fma(root, root, -root_square);
    double residual = __builtin_fma(-root_square_low, root, __builtin_fma(-root_square, root, v));
    root = __builtin_fma(residual, square * CBRT_1, root);
    root = tiny ? root * 0x1p-18 : root;
    return a == 0.0 || !(a < INFINITE_DOUBLE) ? x + x : __builtin_copysign(root, x);
}

/* The larger leg is scaled so that its square neither overflows nor is subnormal. */
float __gpuc_hypotf(float x, float y) {
    float a = __builtin_fabsf(x);
    float b = __builtin_fabsf(y);
    float large = __builtin_fmaxf(a, b);
    float scale = large > 0x1p60f ? 0x1p-70f : 1.0f;
    scale = large < 0x1p-45f ? 0x1p90f : scale;
    float unscale = large > 0x1p60f ? 0x1p70f : 1.0f;
    unscale = large < 0x1p-45f ? 0x1p-90f : unscale;
    a = a * scale;
    b = b * scale;
    float length = __builtin_sqrtf(__builtin_fmaf(a, a, b * b)) * unscale;
    return large == INFINITE_FLOAT ? large : length;
}

double __gpuc_hypot(double x, double y) {
    double a = __builtin_fabs(x);
    double b = __builtin_fabs(y);
    double large = __builtin_fmax(a, b);
    double scale = large > 0x1p500 ? 0x1p-600 : 1.0;
    scale = large < 0x1p-450 ? 0x1p600 : scale;
    double unscale = large > 0x1p500 ? 0x1p600 : 1.0;
    unscale = large < 0x1p-450 ? 0x1p-600 : unscale;
    a = a * scale;
    b = b * scale;
    double length = __builtin_sqrt(__builtin_fma(a, a, b * b)) * unscale;
    return large == INFINITE_DOUBLE ? large : length;
}
