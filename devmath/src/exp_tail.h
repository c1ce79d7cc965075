/* The polynomial for e^r - 1 - r, shared by the functions that are made of exponentials. */
#ifndef GPUC_DEVMATH_EXP_TAIL_H
#define GPUC_DEVMATH_EXP_TAIL_H

#include "../devmath.h"
#include "coefficients.h"

/* q with e^r = 1 + r + r^2 q(r), for |r| <= ln(2)/2. */
static inline float exp_tail_float(float r) {
    float q = EXPF_4;
    q = __builtin_fmaf(q, r, EXPF_3);
    q = __builtin_fmaf(q, r, EXPF_2);
    q = __builtin_fmaf(q, r, EXPF_1);
    return __builtin_fmaf(q, r, EXPF_0);
}

static inline double exp_tail_double(double r) {
    double q = EXP_10;
    q = __builtin_fma(q, r, EXP_9);
    q = __builtin_fma(q, r, EXP_8);
    q = __builtin_fma(q, r, EXP_7);
    q = __builtin_fma(q, r, EXP_6);
    q = __builtin_fma(q, r, EXP_5);
    q = __builtin_fma(q, r, EXP_4);
    q = __builtin_fma(q, r, EXP_3);
    q = __builtin_fma(q, r, EXP_2);
    q = __builtin_fma(q, r, EXP_1);
    return __builtin_fma(q, r, EXP_0);
}

#endif
