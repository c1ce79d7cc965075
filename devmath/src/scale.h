/* Constants, and multiplication by powers of two, shared by the exponential families. */
#ifndef GPUC_DEVMATH_SCALE_H
#define GPUC_DEVMATH_SCALE_H

#include "../devmath.h"

#define INFINITE_FLOAT __gpuc_int_as_float(0x7f800000)
#define INFINITE_DOUBLE __gpuc_long_as_double(0x7ff0000000000000ll)
#define NAN_FLOAT __gpuc_int_as_float(0x7fffffff)
#define NAN_DOUBLE __gpuc_long_as_double(0x7fffffffffffffffll)

/*
 * Adding 1.5 times the value of the last-but-one mantissa bit rounds a number to an integer and
 * leaves that integer in the low bits of the sum.
 */
#define ROUND_TO_INT_FLOAT 0x1.8p23f
#define ROUND_TO_INT_DOUBLE 0x1.8p52

/* The integer in the low bits of a sum with ROUND_TO_INT_FLOAT. */
static inline int rounded_int_float(float sum) {
    return (int)((unsigned)__gpuc_float_as_int(sum) - 0x4b400000u);
}

/* The integer in the low bits of a sum with ROUND_TO_INT_DOUBLE. */
static inline int rounded_int_double(double sum) {
    return (int)(unsigned)(unsigned long long)__gpuc_double_as_long(sum);
}

/* 2^n for -126 <= n <= 127. */
static inline float power_of_two_float(int n) {
    return __gpuc_int_as_float((int)(((unsigned)n + 127u) << 23));
}

/* 2^n for -1022 <= n <= 1023. */
static inline double power_of_two_double(int n) {
    return __gpuc_long_as_double((long long)((unsigned long long)((unsigned)n + 1023u) << 52));
}

/* x * 2^n, rounded once, for -252 <= n <= 254 and x near 1: the first product is exact. */
static inline float scale_float(float x, int n) {
    int half = n >> 1;
    return x * power_of_two_float(half) * power_of_two_float(n - half);
}

/* x * 2^n, rounded once, for -2044 <= n <= 2046 and x near 1: the first product is exact. */
static inline double scale_double(double x, int n) {
    int half = n >> 1;
    return x * power_of_two_double(half) * power_of_two_double(n - half);
}

#endif
