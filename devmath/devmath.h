/*
 * devmath: the C mathematical functions for device code.
 *
 * A function `__gpuc_NAME` has the meaning of the C library's NAME under C99 Annex F, without errno
 * and without floating-point exceptions. The sources use scalars only, hold no tables in memory and
 * call nothing but the operations named below, each of which is an instruction or two on a GPU, so
 * that every function can be inlined into a kernel. They rely on IEEE arithmetic in round-to-nearest
 * with subnormals, and on no contraction: a multiplication and an addition fuse only where
 * `__builtin_fma` says so.
 *
 * Operations: __builtin_{fma,fabs,floor,ceil,trunc,rint,sqrt,fmin,fmax,copysign} and their `f`
 * forms, and the five intrinsics declared here.
 */
#ifndef GPUC_DEVMATH_H
#define GPUC_DEVMATH_H

#ifdef __GPUC__

int __gpuc_float_as_int(float x);
float __gpuc_int_as_float(int x);
long long __gpuc_double_as_long(double x);
double __gpuc_long_as_double(long long x);
/* The upper 64 bits of the product of two unsigned 64-bit numbers. */
unsigned long long __gpuc_umulhi(unsigned long long a, unsigned long long b);

#else /* The same for a host compiler, which builds the library to measure it. */

static inline int __gpuc_float_as_int(float x) {
    int bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float __gpuc_int_as_float(int x) {
    float value;
    __builtin_memcpy(&value, &x, sizeof value);
    return value;
}

static inline long long __gpuc_double_as_long(double x) {
    long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double __gpuc_long_as_double(long long x) {
    double value;
    __builtin_memcpy(&value, &x, sizeof value);
    return value;
}

static inline unsigned long long __gpuc_umulhi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

#endif

/* rounding.c: exact. */
float __gpuc_fabsf(float x);
float __gpuc_floorf(float x);
float __gpuc_ceilf(float x);
float __gpuc_truncf(float x);
float __gpuc_rintf(float x);
float __gpuc_nearbyintf(float x);
float __gpuc_roundf(float x);
float __gpuc_copysignf(float x, float y);
float __gpuc_fminf(float x, float y);
float __gpuc_fmaxf(float x, float y);
float __gpuc_fdimf(float x, float y);
float __gpuc_fmaf(float x, float y, float z);
double __gpuc_fabs(double x);
double __gpuc_floor(double x);
double __gpuc_ceil(double x);
double __gpuc_trunc(double x);
double __gpuc_rint(double x);
double __gpuc_nearbyint(double x);
double __gpuc_round(double x);
double __gpuc_copysign(double x, double y);
double __gpuc_fmin(double x, double y);
double __gpuc_fmax(double x, double y);
double __gpuc_fdim(double x, double y);
double __gpuc_fma(double x, double y, double z);

/* fmod.c: exact. */
float __gpuc_fmodf(float x, float y);
double __gpuc_fmod(double x, double y);

/* root.c */
float __gpuc_sqrtf(float x);
float __gpuc_rsqrtf(float x);
float __gpuc_cbrtf(float x);
float __gpuc_hypotf(float x, float y);
double __gpuc_sqrt(double x);
double __gpuc_rsqrt(double x);
double __gpuc_cbrt(double x);
double __gpuc_hypot(double x, double y);

/* exp.c */
float __gpuc_expf(float x);
float __gpuc_exp2f(float x);
float __gpuc_exp10f(float x);
float __gpuc_expm1f(float x);
double __gpuc_exp(double x);
double __gpuc_exp2(double x);
double __gpuc_exp10(double x);
double __gpuc_expm1(double x);

/* log.c */
float __gpuc_logf(float x);
float __gpuc_log2f(float x);
float __gpuc_log10f(float x);
float __gpuc_log1pf(float x);
double __gpuc_log(double x);
double __gpuc_log2(double x);
double __gpuc_log10(double x);
double __gpuc_log1p(double x);

/* pow.c */
float __gpuc_powf(float x, float y);
double __gpuc_pow(double x, double y);

/* trigf.c and trig.c */
float __gpuc_sinf(float x);
float __gpuc_cosf(float x);
float __gpuc_tanf(float x);
double __gpuc_sin(double x);
double __gpuc_cos(double x);
double __gpuc_tan(double x);

/* hyperbolic.c */
float __gpuc_sinhf(float x);
float __gpuc_coshf(float x);
float __gpuc_tanhf(float x);
double __gpuc_sinh(double x);
double __gpuc_cosh(double x);
double __gpuc_tanh(double x);

/* inverse_trig.c */
float __gpuc_atanf(float x);
float __gpuc_atan2f(float y, float x);
float __gpuc_asinf(float x);
float __gpuc_acosf(float x);
double __gpuc_atan(double x);
double __gpuc_atan2(double y, double x);
double __gpuc_asin(double x);
double __gpuc_acos(double x);

/* erf.c and erfc.c */
float __gpuc_erff(float x);
float __gpuc_erfcf(float x);
double __gpuc_erf(double x);
double __gpuc_erfc(double x);

/* exponent.c: exact. frexp, modf and remquo, which store a result, are two functions each. */
float __gpuc_logbf(float x);
int __gpuc_ilogbf(float x);
float __gpuc_frexpf(float x);
int __gpuc_frexp_exponentf(float x);
float __gpuc_ldexpf(float x, int n);
float __gpuc_modff(float x);
float __gpuc_nextafterf(float x, float y);
double __gpuc_logb(double x);
int __gpuc_ilogb(double x);
double __gpuc_frexp(double x);
int __gpuc_frexp_exponent(double x);
double __gpuc_ldexp(double x, int n);
double __gpuc_modf(double x);
double __gpuc_nextafter(double x, double y);

/* remainder.c: exact. */
float __gpuc_remainderf(float x, float y);
int __gpuc_remquo_quotientf(float x, float y);
double __gpuc_remainder(double x, double y);
int __gpuc_remquo_quotient(double x, double y);

/* inverse_hyperbolic.c */
float __gpuc_asinhf(float x);
float __gpuc_acoshf(float x);
float __gpuc_atanhf(float x);
double __gpuc_asinh(double x);
double __gpuc_acosh(double x);
double __gpuc_atanh(double x);

/* gamma.c */
float __gpuc_tgammaf(float x);
float __gpuc_lgammaf(float x);
int __gpuc_lgamma_signf(float x);
double __gpuc_tgamma(double x);
double __gpuc_lgamma(double x);
int __gpuc_lgamma_sign(double x);

/* bessel.c */
float __gpuc_j0f(float x);
float __gpuc_j1f(float x);
float __gpuc_jnf(int n, float x);
float __gpuc_y0f(float x);
float __gpuc_y1f(float x);
float __gpuc_ynf(int n, float x);
double __gpuc_j0(double x);
double __gpuc_j1(double x);
double __gpuc_jn(int n, double x);
double __gpuc_y0(double x);
double __gpuc_y1(double x);
double __gpuc_yn(int n, double x);

#endif
