/* Parts of a number, and numbers made of parts: exact. */
#include "../devmath.h"
#include "scale.h"

/* The exponent of a finite number that is not zero. */
static inline int exponent_of_double(double x) {
    int tiny = __builtin_fabs(x) < 0x1p-1022;
    long long bits = __gpuc_double_as_long(tiny ? x * 0x1p54 : x);
    return ((int)(bits >> 52) & 0x7ff) - 1023 - (tiny ? 54 : 0);
}

static inline int exponent_of_float(float x) {
    int tiny = __builtin_fabsf(x) < 0x1p-126f;
    int bits = __gpuc_float_as_int(tiny ? x * 0x1p24f : x);
    return (bits >> 23 & 0xff) - 127 - (tiny ? 24 : 0);
}

/* The significand of such a number, in [1, 2). */
static inline double significand_double(double x) {
    int tiny = __builtin_fabs(x) < 0x1p-1022;
    long long bits = __gpuc_double_as_long(tiny ? x * 0x1p54 : x);
    return __gpuc_long_as_double((bits & ~0x7ff0000000000000ll) | 0x3ff0000000000000ll);
}

static inline float significand_float(float x) {
    int tiny = __builtin_fabsf(x) < 0x1p-126f;
    int bits = __gpuc_float_as_int(tiny ? x * 0x1p24f : x);
    return __gpuc_int_as_float((bits & ~0x7f800000) | 0x3f800000);
}

static inline int is_plain_double(double x) {
    return x != 0.0 && __builtin_fabs(x) < INFINITE_DOUBLE;
}

static inline int is_plain_float(float x) {
    return x != 0.0f && __builtin_fabsf(x) < INFINITE_FLOAT;
}

double __gpuc_logb(double x) {
    double special = x == 0.0 ? -INFINITE_DOUBLE : x * x;
    return is_plain_double(x) ? (double)exponent_of_double(x) : special;
}

float __gpuc_logbf(float x) {
    float special = x == 0.0f ? -INFINITE_FLOAT : x * x;
    return is_plain_float(x) ? (float)exponent_of_float(x) : special;
}

/* What the GNU library says of zero, infinities and NaN. */
int __gpuc_ilogb(double x) {
    int special = __builtin_fabs(x) == INFINITE_DOUBLE ? 0x7fffffff : -0x7fffffff - 1;
    return is_plain_double(x) ? exponent_of_double(x) : special;
}

int __gpuc_ilogbf(float x) {
    int special = __builtin_fabsf(x) == INFINITE_FLOAT ? 0x7fffffff : -0x7fffffff - 1;
    return is_plain_float(x) ? exponent_of_float(x) : special;
}

/* The two results of frexp. */
double __gpuc_frexp(double x) { return is_plain_double(x) ? 0.5 * significand_double(x) : x + x; }
float __gpuc_frexpf(float x) { return is_plain_float(x) ? 0.5f * significand_float(x) : x + x; }
int __gpuc_frexp_exponent(double x) { return is_plain_double(x) ? exponent_of_double(x) + 1 : 0; }
int __gpuc_frexp_exponentf(float x) { return is_plain_float(x) ? exponent_of_float(x) + 1 : 0; }

/* x * 2^n: the last product alone rounds, where the result is subnormal. */
double __gpuc_ldexp(double x, int n) {
    int clamped = n > 4200 ? 4200 : n < -4200 ? -4200 : n;
    int e = exponent_of_double(x) + clamped;
    double m = significand_double(x);
    int low = e < -1100 ? -1100 : e;
    double large = e > 1023 ? m * 0x1p1023 * 2.0 : m * power_of_two_double(low < -1022 ? 0 : low);
    double small = m * power_of_two_double(low < -1022 ? low + 200 : 0) * 0x1p-200;
    return is_plain_double(x) ? (e < -1022 ? small : large) : x + x;
}

float __gpuc_ldexpf(float x, int n) {
    int clamped = n > 600 ? 600 : n < -600 ? -600 : n;
    int e = exponent_of_float(x) + clamped;
    float m = significand_float(x);
    int low = e < -160 ? -160 : e;
    float large = e > 127 ? m * 0x1p127f * 2.0f : m * power_of_two_float(low < -126 ? 0 : low);
    float small = m * power_of_two_float(low < -126 ? low + 60 : 0) * 0x1p-60f;
    return is_plain_float(x) ? (e < -126 ? small : large) : x + x;
}

/* The fraction that modf gives; the whole part is trunc. */
double __gpuc_modf(double x) {
    double part = __builtin_fabs(x) == INFINITE_DOUBLE ? 0.0 : x - __builtin_trunc(x);
    return __builtin_copysign(part, x);
}

float __gpuc_modff(float x) {
    float part = __builtin_fabsf(x) == INFINITE_FLOAT ? 0.0f : x - __builtin_truncf(x);
    return __builtin_copysignf(part, x);
}

double __gpuc_nextafter(double x, double y) {
    long long bits = __gpuc_double_as_long(x);
    long long away = (x < y) == (x > 0.0) ? bits + 1 : bits - 1;
    double first = __builtin_copysign(0x1p-1074, y);
    double next = x == 0.0 ? first : __gpuc_long_as_double(away);
    next = x == y ? y : next;
    return x != x || y != y ? x + y : next;
}

float __gpuc_nextafterf(float x, float y) {
    int bits = __gpuc_float_as_int(x);
    int away = (x < y) == (x > 0.0f) ? bits + 1 : bits - 1;
    float first = __builtin_copysignf(0x1p-149f, y);
    float next = x == 0.0f ? first : __gpuc_int_as_float(away);
    next = x == y ? y : next;
    return x != x || y != y ? x + y : next;
}
