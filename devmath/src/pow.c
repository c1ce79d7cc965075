/*
 * x^y = exp(y ln|x|) with ln|x| and its product with y carried in two numbers, because an error in
 * them is multiplied by up to 88 (float) or 710 (double). With s = (m - 1)/(m + 1) and z = s^2,
 * ln m = 2 s (1 + z/3 + z^2 g(z)).
 */
#include "../devmath.h"
#include "coefficients.h"
#include "exp_tail.h"
#include "scale.h"

/* The cases of C99 F.9.4.4 around `magnitude` = |x|^y. */
static inline float pow_special_float(float x, float y, float magnitude) {
    float a = __builtin_fabsf(x);
    float half = y * 0.5f;
    int integer = __builtin_truncf(y) == y;
    int odd = integer && __builtin_truncf(half) != half;
    float result = magnitude;
    if (a == 0.0f || a == INFINITE_FLOAT) {
        result = (a == 0.0f) == (y < 0.0f) ? INFINITE_FLOAT : 0.0f;
    }
    if (__builtin_fabsf(y) == INFINITE_FLOAT) {
        result = (a > 1.0f) == (y > 0.0f) ? INFINITE_FLOAT : 0.0f;
        result = a == 1.0f ? 1.0f : result;
    }
    result = odd ? __builtin_copysignf(result, x) : result;
    result = x < 0.0f && a != INFINITE_FLOAT && !integer ? NAN_FLOAT : result;
    result = x != x || y != y ? x + y : result;
    return x == 1.0f || y == 0.0f ? 1.0f : result;
}

static inline double pow_special_double(double x, double y, double magnitude) {
    double a = __builtin_fabs(x);
    double half = y * 0.5;
    int integer = __builtin_trunc(y) == y;
    int odd = integer && __builtin_trunc(half) != half;
    double result = magnitude;
    if (a == 0.0 || a == INFINITE_DOUBLE) {
        result = (a == 0.0) == (y < 0.0) ? INFINITE_DOUBLE : 0.0;
    }
    if (__builtin_fabs(y) == INFINITE_DOUBLE) {
        result = (a > 1.0) == (y > 0.0) ? INFINITE_DOUBLE : 0.0;
        result = a == 1.0 ? 1.0 : result;
    }
    result = odd ? __builtin_copysign(result, x) : result;
    result = x < 0.0 && a != INFINITE_DOUBLE && !integer ? NAN_DOUBLE : result;
    result = x != x || y != y ? x + y : result;
    return x == 1.0 || y == 0.0 ? 1.0 : result;
}

float __gpuc_powf(float x, float y) {
    float a = __builtin_fabsf(x);
    float lifted = a < 0x1p-126f ? a * 0x1p24f : a;
    float k = a < 0x1p-126f ? -24.0f : 0.0f;
    int bits = __gpuc_float_as_int(lifted);
    /* The exponent field relative to sqrt(1/2). */
    int exponent = (int)((unsigned)bits - 0x3f3504f3u) & (int)0xff800000;
    k = k + (float)(exponent >> 23);
    float f = __gpuc_int_as_float((int)((unsigned)bits - (unsigned)exponent)) - 1.0f;

    /* s = f / (2 + f) */
    float d = 2.0f + f;
    float d_low = f - (d - 2.0f);
    float inverse = 1.0f / d;
    float s = f * inverse;
    float s_low = __builtin_fmaf(-s, d_low, __builtin_fmaf(-s, d, f)) * inverse;
    /* z = s^2 */
    float z = s * s;
    float z_low = __builtin_fmaf(2.0f * s, s_low, __builtin_fmaf(s, s, -z));
    /* c = 1/3 + z g(z) */
    float g = POW_LOGF_2;
    g = __builtin_fmaf(g, z, POW_LOGF_1);
    g = __builtin_fmaf(g, z, POW_LOGF_0);
    g = g * z;
    float c = ONE_THIRDF_HI + g;
    float c_low = (ONE_THIRDF_HI - c) + g + ONE_THIRDF_LO;
    /* w = z c */
    float w = z * c;
    float w_low = __builtin_fmaf(z, c, -w) + __builtin_fmaf(z, c_low, z_low * c);
    /* v = s w; ln m = 2 (s + v) */
    float v = s * w;
    float v_low = __builtin_fmaf(s, w, -v) + __builtin_fmaf(s, w_low, s_low * w);
    float m = s + v;
    float m_low = (s - m) + v + (s_low + v_low);
    /* ln|x| = 2 m + k ln 2 */
    float high = k * LN2F_HI;
    float log = __builtin_fmaf(2.0f, m, high);
    float log_low = __builtin_fmaf(2.0f, m, high - log);
    log_low = __builtin_fmaf(k, LN2F_LO, log_low) + 2.0f * m_low;
    float sum = log + log_low;
    log_low = (log - sum) + log_low;
    log = sum;

    /* p = y ln|x|; beyond the clamp the low part is meaningless and the result is 0 or infinite. */
    float p = y * log;
    float p_low = __builtin_fmaf(y, log_low, __builtin_fmaf(y, log, -p));
    int beyond = !(__builtin_fabsf(p) < 110.0f);
    p_low = beyond ? 0.0f : p_low;
    p = beyond ? __builtin_copysignf(110.0f, p) : p;

    float shifted = __builtin_fmaf(p, LOG2_EF_HI, ROUND_TO_INT_FLOAT);
    float n = shifted - ROUND_TO_INT_FLOAT;
    float near = __builtin_fmaf(n, -LN2F_HI, p);
    float far = __builtin_fmaf(n, -LN2F_LO, p_low);
    float r = near + far;
    float r_low = (near - r) + far;
    float q = exp_tail_float(r);
    float e = 1.0f + r;
    float e_low = (1.0f - e) + r + __builtin_fmaf(r_low, e, q * r * r);
    float result = scale_float(e + e_low, rounded_int_float(shifted));
    return pow_special_float(x, y, result);
}

double __gpuc_pow(double x, double y) {
    double a = __builtin_fabs(x);
    double lifted = a < 0x1p-1022 ? a * 0x1p54 : a;
    double k = a < 0x1p-1022 ? -54.0 : 0.0;
    unsigned long long bits = (unsigned long long)__gpuc_double_as_long(lifted);
    /* The exponent field relative to sqrt(1/2). */
    long long above = (long long)(bits - 0x3fe6a09e667f3bcdull);
    int exponent = (int)(above >> 52);
    k = k + (double)exponent;
    bits = bits - ((unsigned long long)(long long)exponent << 52);
    double f = __gpuc_long_as_double((long long)bits) - 1.0;

    /* s = f / (2 + f) */
    double d = 2.0 + f;
    double d_low = f - (d - 2.0);
    double inverse = 1.0 / d;
    double s = f * inverse;
    double s_low = __builtin_fma(-s, d_low, __builtin_fma(-s, d, f)) * inverse;
    /* z = s^2 */
    double z = s * s;
    double z_low = __builtin_fma(2.0 * s, s_low, __builtin_fma(s, s, -z));
    /* c = 1/3 + z g(z) */
    double g = POW_LOG_7;
    g = __builtin_fma(g, z, POW_LOG_6);
    g = __builtin_fma(g, z, POW_LOG_5);
    g = __builtin_fma(g, z, POW_LOG_4);
    g = __builtin_fma(g, z, POW_LOG_3);
    g = __builtin_fma(g, z, POW_LOG_2);
    g = __builtin_fma(g, z, POW_LOG_1);
    g = __builtin_fma(g, z, POW_LOG_0);
    g = g * z;
    double c = ONE_THIRD_HI + g;
    double c_low = (ONE_THIRD_HI - c) + g + ONE_THIRD_LO;
    /* w = z c */
    double w = z * c;
    double w_low = __builtin_fma(z, c, -w) + __builtin_fma(z, c_low, z_low * c);
    /* v = s w; ln m = 2 (s + v) */
    double v = s * w;
    double v_low = __builtin_fma(s, w, -v) + __builtin_fma(s, w_low, s_low * w);
    double m = s + v;
    double m_low = (s - m) + v + (s_low + v_low);
    /* ln|x| = 2 m + k ln 2 */
    double high = k * LN2_HI;
    double log = __builtin_fma(2.0, m, high);
    double log_low = __builtin_fma(2.0, m, high - log);
    log_low = __builtin_fma(k, LN2_LO, log_low) + 2.0 * m_low;
    double sum = log + log_low;
    log_low = (log - sum) + log_low;
    log = sum;

    /* p = y ln|x|; beyond the clamp the low part is meaningless and the result is 0 or infinite. */
    double p = y * log;
    double p_low = __builtin_fma(y, log_low, __builtin_fma(y, log, -p));
    int beyond = !(__builtin_fabs(p) < 750.0);
    p_low = beyond ? 0.0 : p_low;
    p = beyond ? __builtin_copysign(750.0, p) : p;

    double shifted = __builtin_fma(p, LOG2_E_HI, ROUND_TO_INT_DOUBLE);
    double n = shifted - ROUND_TO_INT_DOUBLE;
    double near = __builtin_fma(n, -LN2_HI, p);
    double far = __builtin_fma(n, -LN2_LO, p_low);
    double r = near + far;
    double r_low = (near - r) + far;
    double q = exp_tail_double(r);
    double e = 1.0 + r;
    double e_low = (1.0 - e) + r + __builtin_fma(r_low, e, q * r * r);
    double result = scale_double(e + e_low, rounded_int_double(shifted));
    return pow_special_double(x, y, result);
}
