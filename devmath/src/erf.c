/* The error function: a polynomial up to 1, and 1 - exp(-p(x)) above, where the second is small. */
#include "../devmath.h"
#include "coefficients.h"
#include "exp_tail.h"
#include "scale.h"

float __gpuc_erff(float x) {
    float a = __builtin_fabsf(x);
    float z = a * a;
    float q = ERFF_6;
    q = __builtin_fmaf(q, z, ERFF_5);
    q = __builtin_fmaf(q, z, ERFF_4);
    q = __builtin_fmaf(q, z, ERFF_3);
    q = __builtin_fmaf(q, z, ERFF_2);
    q = __builtin_fmaf(q, z, ERFF_1);
    q = __builtin_fmaf(q, z, ERFF_0);
    float result = __builtin_fmaf(a, q, a);
    if (a > 1.0f) {
        float b = __builtin_fminf(a, 4.0f);
        float p = ERF_FARF_6;
        p = __builtin_fmaf(p, b, ERF_FARF_5);
        p = __builtin_fmaf(p, b, ERF_FARF_4);
        p = __builtin_fmaf(p, b, ERF_FARF_3);
        p = __builtin_fmaf(p, b, ERF_FARF_2);
        p = __builtin_fmaf(p, b, ERF_FARF_1);
        p = __builtin_fmaf(p, b, ERF_FARF_0);
        /* 1 - e^-p; p is at most 40, so that 2^n is normal. */
        float shifted = __builtin_fmaf(p, -LOG2_EF_HI, ROUND_TO_INT_FLOAT);
        float n = shifted - ROUND_TO_INT_FLOAT;
        float r = __builtin_fmaf(n, -LN2F_HI, -p);
        r = __builtin_fmaf(n, -LN2F_LO, r);
        float e = exp_tail_float(r);
        e = __builtin_fmaf(__builtin_fmaf(e, r, 1.0f), r, 1.0f);
        result = __builtin_fmaf(-e, power_of_two_float(rounded_int_float(shifted)), 1.0f);
    }
    return x != x ? x + x : __builtin_copysignf(result, x);
}

double __gpuc_erf(double x) {
    double a = __builtin_fabs(x);
    double z = a * a;
    double q = ERF_12;
    q = __builtin_fma(q, z, ERF_11);
    q = __builtin_fma(q, z, ERF_10);
    q = __builtin_fma(q, z, ERF_9);
    q = __builtin_fma(q, z, ERF_8);
    q = __builtin_fma(q, z, ERF_7);
    q = __builtin_fma(q, z, ERF_6);
    q = __builtin_fma(q, z, ERF_5);
    q = __builtin_fma(q, z, ERF_4);
    q = __builtin_fma(q, z, ERF_3);
    q = __builtin_fma(q, z, ERF_2);
    q = __builtin_fma(q, z, ERF_1);
    q = __builtin_fma(q, z, ERF_0);
    double result = __builtin_fma(a, q, a);
    if (a > 1.0) {
        double b = __builtin_fmin(a, 6.0);
        double p = ERF_FAR_18;
        p = __builtin_fma(p, b, ERF_FAR_17);
        p = __builtin_fma(p, b, ERF_FAR_16);
        p = __builtin_fma(p, b, ERF_FAR_15);
        p = __builtin_fma(p, b, ERF_FAR_14);
        p = __builtin_fma(p, b, ERF_FAR_13);
        p = __builtin_fma(p, b, ERF_FAR_12);
        p = __builtin_fma(p, b, ERF_FAR_11);
        p = __builtin_fma(p, b, ERF_FAR_10);
        p = __builtin_fma(p, b, ERF_FAR_9);
        p = __builtin_fma(p, b, ERF_FAR_8);
        p = __builtin_fma(p, b, ERF_FAR_7);
        p = __builtin_fma(p, b, ERF_FAR_6);
        p = __builtin_fma(p, b, ERF_FAR_5);
        p = __builtin_fma(p, b, ERF_FAR_4);
        p = __builtin_fma(p, b, ERF_FAR_3);
        p = __builtin_fma(p, b, ERF_FAR_2);
        p = __builtin_fma(p, b, ERF_FAR_1);
        p = __builtin_fma(p, b, ERF_FAR_0);
        /* 1 - e^-p; p is at most 40, so that 2^n is normal. */
        double shifted = __builtin_fma(p, -LOG2_E_HI, ROUND_TO_INT_DOUBLE);
        double n = shifted - ROUND_TO_INT_DOUBLE;
        double r = __builtin_fma(n, -LN2_HI, -p);
        r = __builtin_fma(n, -LN2_LO, r);
        double e = exp_tail_double(r);
        e = __builtin_fma(__builtin_fma(e, r, 1.0), r, 1.0);
        result = __builtin_fma(-e, power_of_two_double(rounded_int_double(shifted)), 1.0);
    }
    return x != x ? x + x : __builtin_copysign(result, x);
}
