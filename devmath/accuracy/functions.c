#define _GNU_SOURCE
#include "functions.h"

#include <math.h>
#include <quadmath.h>

#include "../devmath.h"

static double rsqrt_double(double x) { return 1.0 / sqrt(x); }
static quad rsqrt_quad(quad x) { return 1 / sqrtq(x); }
static quad exp10_quad(quad x) { return powq(10, x); }

#define FLOAT_UNARY(function, ulp, where, from, to, exact)                                        \
    {.name = #function "f", .guide = ulp, .focus = where, .low = from, .high = to,                \
     .float_unary = __gpuc_##function##f, .reference_unary = exact}
#define DOUBLE_UNARY(function, ulp, where, from, to, exact)                                       \
    {.name = #function, .guide = ulp, .focus = where, .low = from, .high = to,                    \
     .double_unary = __gpuc_##function, .quad_unary = exact}
#define FLOAT_BINARY(function, ulp, where, from, to, exact)                                       \
    {.name = #function "f", .guide = ulp, .focus = where, .low = from, .high = to,                \
     .float_binary = __gpuc_##function##f, .reference_binary = exact}
#define DOUBLE_BINARY(function, ulp, where, from, to, exact)                                      \
    {.name = #function, .guide = ulp, .focus = where, .low = from, .high = to,                    \
     .double_binary = __gpuc_##function, .quad_binary = exact}

const struct function functions[] = {
    FLOAT_UNARY(sqrt, 0, FOCUS_RANGE, 0x1p-149, 0x1p127, sqrt),
    FLOAT_UNARY(cbrt, 1, FOCUS_RANGE, 0x1p-149, 0x1p127, cbrt),
    FLOAT_UNARY(exp, 1, FOCUS_RANGE, 0x1p-30, 104, exp),
    FLOAT_UNARY(exp2, 2, FOCUS_RANGE, 0x1p-30, 150, exp2),
    FLOAT_UNARY(log, 1, FOCUS_ONE, 0x1p-149, 0x1p127, log),
    FLOAT_UNARY(log2, 1, FOCUS_ONE, 0x1p-149, 0x1p127, log2),
    FLOAT_UNARY(log10, 2, FOCUS_ONE, 0x1p-149, 0x1p127, log10),
    FLOAT_BINARY(pow, 4, FOCUS_POWER, 0x1p-149, 0x1p127, pow),
    FLOAT_UNARY(sin, 2, FOCUS_HALF_PI, 0x1p-30, 0x1p30, sin),
    FLOAT_UNARY(cos, 2, FOCUS_HALF_PI, 0x1p-30, 0x1p30, cos),
    FLOAT_UNARY(tan, 4, FOCUS_HALF_PI, 0x1p-30, 0x1p30, tan),
    FLOAT_UNARY(tanh, 2, FOCUS_RANGE, 0x1p-30, 20, tanh),
    FLOAT_UNARY(fabs, 0, FOCUS_RANGE, 0x1p-149, 0x1p127, fabs),
    FLOAT_BINARY(fmod, 0, FOCUS_PAIR, 0x1p-149, 0x1p127, fmod),
    FLOAT_UNARY(floor, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, floor),
    FLOAT_UNARY(ceil, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, ceil),
    FLOAT_UNARY(round, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, round),
    FLOAT_UNARY(trunc, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, trunc),
    {.name = "fmaf", .guide = 0, .focus = FOCUS_PAIR, .low = 0x1p-149, .high = 0x1p127,
     .float_ternary = __gpuc_fmaf, .reference_ternary = fmaf},
    FLOAT_BINARY(fmin, 0, FOCUS_PAIR, 0x1p-149, 0x1p127, fmin),
    FLOAT_BINARY(fmax, 0, FOCUS_PAIR, 0x1p-149, 0x1p127, fmax),

    FLOAT_UNARY(asinh, 1, FOCUS_RANGE, 0x1p-149, 0x1p127, asinh),
    FLOAT_UNARY(atanh, 1, FOCUS_RANGE, 0x1p-149, 1, atanh),
    FLOAT_UNARY(acosh, 1, FOCUS_RANGE, 1, 0x1p127, acosh),
    FLOAT_UNARY(erfc, 1, FOCUS_RANGE, 0x1p-30, 9, erfc),
    FLOAT_UNARY(tgamma, 1, FOCUS_RANGE, 0x1p-30, 34, tgamma),
    FLOAT_UNARY(logb, 0, FOCUS_RANGE, 0x1p-149, 0x1p127, logb),
    FLOAT_BINARY(remainder, 0, FOCUS_PAIR, 0x1p-149, 0x1p127, remainder),

    DOUBLE_UNARY(sqrt, 0, FOCUS_RANGE, 0x1p-1074, 0x1p1023, sqrtq),
    DOUBLE_UNARY(asinh, 2, FOCUS_RANGE, 0x1p-1074, 0x1p1023, asinhq),
    DOUBLE_UNARY(atanh, 2, FOCUS_RANGE, 0x1p-1074, 1, atanhq),
    DOUBLE_UNARY(acosh, 2, FOCUS_RANGE, 1, 0x1p1023, acoshq),
    DOUBLE_UNARY(erfc, 4, FOCUS_RANGE, 0x1p-60, 26, erfcq),
    DOUBLE_UNARY(tgamma, 10, FOCUS_RANGE, 0x1p-60, 171, tgammaq),
    DOUBLE_UNARY(logb, 0, FOCUS_RANGE, 0x1p-1074, 0x1p1023, logbq),
    DOUBLE_BINARY(remainder, 0, FOCUS_PAIR, 0x1p-1074, 0x1p1023, remainderq),
    DOUBLE_UNARY(cbrt, 1, FOCUS_RANGE, 0x1p-1074, 0x1p1023, cbrtq),
    DOUBLE_UNARY(exp, 1, FOCUS_RANGE, 0x1p-60, 746, expq),
    DOUBLE_UNARY(exp2, 1, FOCUS_RANGE, 0x1p-60, 1076, exp2q),
    DOUBLE_UNARY(log, 1, FOCUS_ONE, 0x1p-1074, 0x1p1023, logq),
    DOUBLE_UNARY(log2, 1, FOCUS_ONE, 0x1p-1074, 0x1p1023, log2q),
    DOUBLE_UNARY(log10, 1, FOCUS_ONE, 0x1p-1074, 0x1p1023, log10q),
    DOUBLE_BINARY(pow, 2, FOCUS_POWER, 0x1p-1074, 0x1p1023, powq),
    DOUBLE_UNARY(sin, 1, FOCUS_HALF_PI, 0x1p-60, 0x1p60, sinq),
    DOUBLE_UNARY(cos, 1, FOCUS_HALF_PI, 0x1p-60, 0x1p60, cosq),
    DOUBLE_UNARY(tan, 2, FOCUS_HALF_PI, 0x1p-60, 0x1p60, tanq),
    DOUBLE_UNARY(tanh, 1, FOCUS_RANGE, 0x1p-60, 40, tanhq),
    DOUBLE_UNARY(fabs, 0, FOCUS_RANGE, 0x1p-1074, 0x1p1023, fabsq),
    DOUBLE_BINARY(fmod, 0, FOCUS_PAIR, 0x1p-1074, 0x1p1023, fmodq),
    DOUBLE_UNARY(floor, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, floorq),
    DOUBLE_UNARY(ceil, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, ceilq),
    DOUBLE_UNARY(round, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, roundq),
    DOUBLE_UNARY(trunc, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, truncq),
    {.name = "fma", .guide = 0, .focus = FOCUS_PAIR, .low = 0x1p-1074, .high = 0x1p1023,
     .double_ternary = __gpuc_fma, .quad_ternary = fma},
    DOUBLE_BINARY(fmin, 0, FOCUS_PAIR, 0x1p-1074, 0x1p1023, fminq),
    DOUBLE_BINARY(fmax, 0, FOCUS_PAIR, 0x1p-1074, 0x1p1023, fmaxq),

    FLOAT_UNARY(rsqrt, 2, FOCUS_RANGE, 0x1p-149, 0x1p127, rsqrt_double),
    FLOAT_BINARY(hypot, 3, FOCUS_PAIR, 0x1p-149, 0x1p127, hypot),
    FLOAT_UNARY(exp10, 2, FOCUS_RANGE, 0x1p-30, 46, exp10),
    FLOAT_UNARY(expm1, 1, FOCUS_RANGE, 0x1p-30, 90, expm1),
    FLOAT_UNARY(log1p, 1, FOCUS_RANGE, 0x1p-30, 0x1p127, log1p),
    FLOAT_UNARY(sinh, 3, FOCUS_RANGE, 0x1p-30, 90, sinh),
    FLOAT_UNARY(cosh, 2, FOCUS_RANGE, 0x1p-30, 90, cosh),
    FLOAT_UNARY(atan, 2, FOCUS_ONE, 0x1p-30, 0x1p30, atan),
    FLOAT_UNARY(asin, 2, FOCUS_ONE, 0x1p-30, 1, asin),
    FLOAT_UNARY(acos, 2, FOCUS_ONE, 0x1p-30, 1, acos),
    FLOAT_UNARY(erf, 2, FOCUS_ONE, 0x1p-30, 4, erf),
    FLOAT_BINARY(atan2, 3, FOCUS_PAIR, 0x1p-149, 0x1p127, atan2),
    FLOAT_UNARY(rint, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, rint),
    FLOAT_UNARY(nearbyint, 0, FOCUS_RANGE, 0x1p-5, 0x1p25, nearbyint),
    FLOAT_BINARY(copysign, -1, FOCUS_PAIR, 0x1p-149, 0x1p127, copysign),
    FLOAT_BINARY(fdim, 0, FOCUS_PAIR, 0x1p-149, 0x1p127, fdim),

    DOUBLE_UNARY(rsqrt, 1, FOCUS_RANGE, 0x1p-1074, 0x1p1023, rsqrt_quad),
    DOUBLE_BINARY(hypot, 2, FOCUS_PAIR, 0x1p-1074, 0x1p1023, hypotq),
    DOUBLE_UNARY(exp10, 1, FOCUS_RANGE, 0x1p-60, 324, exp10_quad),
    DOUBLE_UNARY(expm1, 1, FOCUS_RANGE, 0x1p-60, 711, expm1q),
    DOUBLE_UNARY(log1p, 1, FOCUS_RANGE, 0x1p-60, 0x1p1023, log1pq),
    DOUBLE_UNARY(sinh, 1, FOCUS_RANGE, 0x1p-60, 711, sinhq),
    DOUBLE_UNARY(cosh, 1, FOCUS_RANGE, 0x1p-60, 711, coshq),
    DOUBLE_UNARY(atan, 2, FOCUS_ONE, 0x1p-60, 0x1p60, atanq),
    DOUBLE_UNARY(asin, 2, FOCUS_ONE, 0x1p-60, 1, asinq),
    DOUBLE_UNARY(acos, 1, FOCUS_ONE, 0x1p-60, 1, acosq),
    DOUBLE_UNARY(erf, 2, FOCUS_ONE, 0x1p-60, 6, erfq),
    DOUBLE_BINARY(atan2, 2, FOCUS_PAIR, 0x1p-1074, 0x1p1023, atan2q),
    DOUBLE_UNARY(rint, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, rintq),
    DOUBLE_UNARY(nearbyint, 0, FOCUS_RANGE, 0x1p-5, 0x1p54, nearbyintq),
    DOUBLE_BINARY(copysign, -1, FOCUS_PAIR, 0x1p-1074, 0x1p1023, copysignq),
    DOUBLE_BINARY(fdim, 0, FOCUS_PAIR, 0x1p-1074, 0x1p1023, fdimq),
};

const int function_count = sizeof functions / sizeof functions[0];
