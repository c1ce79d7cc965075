/*
 * The floating-point remainder, exact. The significands are reduced as numbers in [1, 2), up to
 * 20 (49) bits of the quotient at a time. The quotient is rounded to nearest and less than a quarter
 * off before, so that |r - q y| <= 3/4 y has no more bits than a significand and one fma gives it
 * without error. The sign of the partial remainders is mended at the end.
 */
#include "../devmath.h"
#include "scale.h"

#define FMOD_STEP_FLOAT 20
#define FMOD_STEPS_FLOAT 14 /* The largest difference of exponents is 276. */
#define FMOD_STEP_DOUBLE 49
#define FMOD_STEPS_DOUBLE 43 /* The largest difference of exponents is 2097. */

float __gpuc_fmodf(float x, float y) {
    float a = __builtin_fabsf(x);
    float b = __builtin_fabsf(y);
    float result = x;
    if (!(b > 0.0f) || !(a < INFINITE_FLOAT)) {
        /* y is zero or NaN, x is infinite or NaN. */
        result = x != x || y != y ? x + y : NAN_FLOAT;
    } else if (a >= b) {
        int x_lift = a < 0x1p-126f ? 24 : 0;
        int y_lift = b < 0x1p-126f ? 24 : 0;
        int x_bits = __gpuc_float_as_int(x_lift ? a * 0x1p24f : a);
        int y_bits = __gpuc_float_as_int(y_lift ? b * 0x1p24f : b);
        int y_exponent = (y_bits >> 23) - y_lift - 127;
        int left = (x_bits >> 23) - x_lift - 127 - y_exponent;
        float r = __gpuc_int_as_float((x_bits & 0x007fffff) | 0x3f800000);
        float m = __gpuc_int_as_float((y_bits & 0x007fffff) | 0x3f800000);
        float inverse = 1.0f / m;
        int step = left < FMOD_STEP_FLOAT ? left : FMOD_STEP_FLOAT;
        r = r * power_of_two_float(step);
        r = __builtin_fmaf(-__builtin_rintf(r * inverse), m, r);
        left = left - step;
        if (left > 0) {
            for (int i = 1; i < FMOD_STEPS_FLOAT; i++) {
                step = left < FMOD_STEP_FLOAT ? left : FMOD_STEP_FLOAT;
                r = r * power_of_two_float(step);
                r = __builtin_fmaf(-__builtin_rintf(r * inverse), m, r);
                left = left - step;
            }
        }
        r = r < 0.0f ? r + m : r;
        result = __builtin_copysignf(scale_float(r, y_exponent), x);
    }
    return result;
}

double __gpuc_fmod(double x, double y) {
    double a = __builtin_fabs(x);
    double b = __builtin_fabs(y);
    double result = x;
    if (!(b > 0.0) || !(a < INFINITE_DOUBLE)) {
        /* y is zero or NaN, x is infinite or NaN. */
        result = x != x || y != y ? x + y : NAN_DOUBLE;
    } else if (a >= b) {
        int x_lift = a < 0x1p-1022 ? 54 : 0;
        int y_lift = b < 0x1p-1022 ? 54 : 0;
        long long x_bits = __gpuc_double_as_long(x_lift ? a * 0x1p54 : a);
        long long y_bits = __gpuc_double_as_long(y_lift ? b * 0x1p54 : b);
        int y_exponent = (int)(y_bits >> 52) - y_lift - 1023;
        int left = (int)(x_bits >> 52) - x_lift - 1023 - y_exponent;
        double r = __gpuc_long_as_double((x_bits & 0x000fffffffffffffll) | 0x3ff0000000000000ll);
        double m = __gpuc_long_as_double((y_bits & 0x000fffffffffffffll) | 0x3ff0000000000000ll);
        double inverse = 1.0 / m;
        int step = left < FMOD_STEP_DOUBLE ? left : FMOD_STEP_DOUBLE;
        r = r * power_of_two_double(step);
        r = __builtin_fma(-__builtin_rint(r * inverse), m, r);
        left = left - step;
        if (left > 0) {
            for (int i = 1; i < FMOD_STEPS_DOUBLE; i++) {
                step = left < FMOD_STEP_DOUBLE ? left : FMOD_STEP_DOUBLE;
                r = r * power_of_two_double(step);
                r = __builtin_fma(-__builtin_rint(r * inverse), m, r);
                left = left - step;
            }
        }
        r = r < 0.0 ? r + m : r;
        result = __builtin_copysign(scale_double(r, y_exponent), x);
    }
    return result;
}
