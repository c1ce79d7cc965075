/*
 * Logarithms. x = 2^k m with m near 1, f = m - 1, a polynomial for ln(1 + f), and for the other
 * bases a product with log2(e) or log10(e) carried in two numbers.
 */
#include "../devmath.h"
#include "coefficients.h"
#include "scale.h"

/* q with ln(1 + f) = f - f^2/2 + f^3 q(f), for 2/3 <= 1 + f < 4/3. */
static inline float log1p_tail_float(float f) {
    float q = LOG1PF_9;
    q = __builtin_fmaf(q, f, LOG1PF_8);
    q = __builtin_fmaf(q, f, LOG1PF_7);
    q = __builtin_fmaf(q, f, LOG1PF_6);
    q = __builtin_fmaf(q, f, LOG1PF_5);
    q = __builtin_fmaf(q, f, LOG1PF_4);
    q = __builtin_fmaf(q, f, LOG1PF_3);
    q = __builtin_fmaf(q, f, LOG1PF_2);
    return __builtin_fmaf(q, f, LOG1PF_1);
}

/* ln(1 + f) - f + f^2/2 for sqrt(1/2) <= 1 + f < sqrt(2), given f^2/2. */
static inline double log1p_tail_double(double f, double half_square) {
    double s = f / (2.0 + f);
    double z = s * s;
    double q = LOG_6;
    q = __builtin_fma(q, z, LOG_5);
    q = __builtin_fma(q, z, LOG_4);
    q = __builtin_fma(q, z, LOG_3);
    q = __builtin_fma(q, z, LOG_2);
    q = __builtin_fma(q, z, LOG_1);
    q = __builtin_fma(q, z, LOG_0);
    return s * __builtin_fma(q, z, half_square);
}

/* Zero, negative numbers, infinity and NaN are the same for every base. */
static inline float log_special_float(float x, float result) {
    result = x == INFINITE_FLOAT ? x : result;
    result = x == 0.0f ? -INFINITE_FLOAT : result;
    result = x < 0.0f ? NAN_FLOAT : result;
    return x != x ? x + x : result;
}

static inline double log_special_double(double x, double result) {
    result = x == INFINITE_DOUBLE ? x : result;
    result = x == 0.0 ? -INFINITE_DOUBLE : result;
    result = x < 0.0 ? NAN_DOUBLE : result;
    return x != x ? x + x : result;
}

/*
 * The logarithm of x in the base whose log(e) is `e_high` + `e_low` and log(2) is `two_high` +
 * `two_low`; `natural` says that the base is e, where the product with log(e) falls away. All
 * arguments but x are constants of the caller.
 */
static inline float log_float(float x, int natural, float e_high, float e_low, float two_high,
                              float two_low) {
    float lifted = x < 0x1p-126f ? x * 0x1p24f : x;
    float k = x < 0x1p-126f ? -24.0f : 0.0f;
    int bits = __gpuc_float_as_int(lifted);
    /* The exponent field of x relative to 2/3. */
    int exponent = (int)((unsigned)bits - 0x3f2aaaabu) & (int)0xff800000;
    k = k + (float)(exponent >> 23);
    float f = __gpuc_int_as_float((int)((unsigned)bits - (unsigned)exponent)) - 1.0f;
    float q = log1p_tail_float(f);
    float result;
    if (natural) {
        float tail = f * f * __builtin_fmaf(q, f, -0.5f);
        float high = k * two_high;
        float total = high + f;
        float lost = (high - total) + f;
        result = total + (tail + __builtin_fmaf(k, two_low, lost));
    } else {
        /* ln(1 + f) = near + rest. */
        float half = 0.5f * f;
        float square = half * f;
        float near = f - square;
        float rest = ((f - near) - square) - __builtin_fmaf(half, f, -square);
        rest = __builtin_fmaf(f * f * f, q, rest);
        float product = near * e_high;
        float low = __builtin_fmaf(near, e_high, -product);
        low = __builtin_fmaf(near, e_low, low);
        low = __builtin_fmaf(rest, e_high, low);
        float high = k * two_high;
        float total = high + product;
        float lost = (high - total) + product;
        result = total + (low + __builtin_fmaf(k, two_low, lost));
    }
    return log_special_float(x, result);
}

static inline double log_double(double x, int natural, double e_high, double e_low,
                                double two_high, double two_low) {
    double lifted = x < 0x1p-1022 ? x * 0x1p54 : x;
    double k = x < 0x1p-1022 ? -54.0 : 0.0;
    unsigned long long bits = (unsigned long long)__gpuc_double_as_long(lifted);
    /* The exponent field of x relative to sqrt(1/2). */
    long long above = (long long)(bits - 0x3fe6a09e667f3bcdull);
    int exponent = (int)(above >> 52);
    k = k + (double)exponent;
    bits = bits - ((unsigned long long)(long long)exponent << 52);
    double f = __gpuc_long_as_double((long long)bits) - 1.0;
    double half = 0.5 * f;
    double square = half * f;
    double tail = log1p_tail_double(f, square);
    double result;
    if (natural) {
        double high = k * two_high;
        double total = high + f;
        double lost = (high - total) + f;
        result = total + ((tail - square) + __builtin_fma(k, two_low, lost));
    } else {
        /* ln(1 + f) = near + rest. */
        double near = f - square;
        double rest = ((f - near) - square) - __builtin_fma(half, f, -square) + tail;
        double product = near * e_high;
        double low = __builtin_fma(near, e_high, -product);
        low = __builtin_fma(near, e_low, low);
        low = __builtin_fma(rest, e_high, low);
        double high = k * two_high;
        double total = high + product;
        double lost = (high - total) + product;
        result = total + (low + __builtin_fma(k, two_low, lost));
    }
    return log_special_double(x, result);
}

float __gpuc_logf(float x) { return log_float(x, 1, 1.0f, 0.0f, LN2F_HI, LN2F_LO); }

float __gpuc_log2f(float x) { return log_float(x, 0, LOG2_EF_HI, LOG2_EF_LO, 1.0f, 0.0f); }

float __gpuc_log10f(float x) {
    return log_float(x, 0, LOG10_EF_HI, LOG10_EF_LO, LOG10_2F_HI, LOG10_2F_LO);
}

double __gpuc_log(double x) { return log_double(x, 1, 1.0, 0.0, LN2_HI, LN2_LO); }

double __gpuc_log2(double x) { return log_double(x, 0, LOG2_E_HI, LOG2_E_LO, 1.0, 0.0); }

double __gpuc_log10(double x) {
    return log_double(x, 0, LOG10_E_HI, LOG10_E_LO, LOG10_2_HI, LOG10_2_LO);
}

/*
 * ln(1 + x) with 1 + x = sum + lost = 2^k (1 + f + c): ln(1 + f) + c/(1 + f) + k ln 2. Where x is
 * so large that `lost` would need a scale below the smallest normal number, it does not matter.
 */
float __gpuc_log1pf(float x) {
    float sum = 1.0f + x;
    float lost = x > 1.0f ? 1.0f - (sum - x) : x - (sum - 1.0f);
    int bits = __gpuc_float_as_int(sum);
    int exponent = (int)((unsigned)bits - 0x3f2aaaabu) & (int)0xff800000;
    float k = (float)(exponent >> 23);
    float f = __gpuc_int_as_float((int)((unsigned)bits - (unsigned)exponent)) - 1.0f;
    float c = k < 125.0f ? lost / sum : 0.0f;
    float tail = f * f * __builtin_fmaf(log1p_tail_float(f), f, -0.5f);
    float high = k * LN2F_HI;
    float total = high + f;
    float rest = (high - total) + f;
    float result = total + ((tail + c) + __builtin_fmaf(k, LN2F_LO, rest));
    result = x == INFINITE_FLOAT ? x : result;
    result = x == -1.0f ? -INFINITE_FLOAT : result;
    result = x < -1.0f ? NAN_FLOAT : result;
    result = x != x ? x + x : result;
    return __builtin_fabsf(x) < 0x1p-25f ? x : result;
}

double __gpuc_log1p(double x) {
    double sum = 1.0 + x;
    double lost = x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
    unsigned long long bits = (unsigned long long)__gpuc_double_as_long(sum);
    long long above = (long long)(bits - 0x3fe6a09e667f3bcdull);
    int exponent = (int)(above >> 52);
    double k = (double)exponent;
    bits = bits - ((unsigned long long)(long long)exponent << 52);
    double f = __gpuc_long_as_double((long long)bits) - 1.0;
    double c = k < 1000.0 ? lost / sum : 0.0;
    double square = 0.5 * f * f;
    double tail = log1p_tail_double(f, square);
    double high = k * LN2_HI;
    double total = high + f;
    double rest = (high - total) + f;
    double result = total + (((tail - square) + c) + __builtin_fma(k, LN2_LO, rest));
    result = x == INFINITE_DOUBLE ? x : result;
    result = x == -1.0 ? -INFINITE_DOUBLE : result;
    result = x < -1.0 ? NAN_DOUBLE : result;
    result = x != x ? x + x : result;
    return __builtin_fabs(x) < 0x1p-54 ? x : result;
}
