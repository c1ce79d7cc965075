#define _GNU_SOURCE
#include "inputs.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

const double special_values[] = {
    0.0, 0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1022, 0x1p-149, 0x1.fffffcp-127, 0x1p-126, 0.25,
    0.5, 0x1.fffffffffffffp-2, 0x1.fffffep-1, 0x1.fffffffffffffp-1, 1.0, 0x1.0000000000001p0,
    0x1.000002p0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 0x1.fffffep23, 0x1p24, 0x1.000002p24,
    0x1.fffffffffffffp52, 0x1p53, 0x1.0000000000001p53, FLT_MAX, DBL_MAX, INFINITY, NAN,
};
const int special_count = sizeof special_values / sizeof special_values[0];

const double boundary_values[] = {
    /* exp, expm1, cosh, sinh */
    0x1.62e42fefa39efp-2, 17.3287, 18.0, 37.0, 38.0, 88.02969, 88.3762626, 88.722839, 89.0, 89.415986,
    87.33655, 103.27893, 103.97208, 104.0, 708.3964185, 709.436139303, 709.782712893384,
    710.4758600739439, 744.4400719, 745.1332191019412, 746.0,
    /* exp2 */
    126.0, 127.0, 128.0, 149.0, 150.0, 151.0, 1022.0, 1023.0, 1024.0, 1074.0, 1075.0, 1076.0,
    /* exp10 */
    37.929779, 38.53184, 39.0, 44.853, 45.154, 46.0, 307.652655568589, 308.2547155599167, 309.0,
    323.3062153431158, 323.6072453387798, 324.0,
    /* logarithms, cube root: scales of m */
    0.5, 0x1.6a09e667f3bcdp-1, 2.0 / 3, 1.0, 4.0 / 3, 0x1.6a09e667f3bcdp0, 2.0, 8.0, 0x1p-126,
    0x1p-1022,
    /* trigonometry: multiples of pi/4, the change of reduction */
    0x1.921fb54442d18p-1, 0x1.921fb54442d18p0, 0x1.2d97c7f3321d2p1, 0x1.921fb54442d18p1,
    0x1.921fb54442d18p2, 131072.0, 0x1p30, 0x1.6ac5b262ca1ffp849, 0x1.5bep5, 0x1.f9cbe2p16,
    /* hyperbolic: saturation, small arguments */
    9.01, 9.5, 18.7, 19.0615, 20.0, 22.0, 0.55, 0x1p-12, 0x1p-13, 0x1p-25, 0x1p-26, 0x1p-27, 0x1p-28,
    0x1p-54,
    /* rounding */
    0x1p22, 0x1p23, 0x1p51, 0x1p52,
};
const int boundary_count = sizeof boundary_values / sizeof boundary_values[0];

static uint64_t state;

void inputs_restart(void) { state = 0x9e3779b97f4a7c15u; }

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t random_bits(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double random_sign(double x) { return random_bits() & 1 ? -x : x; }

static int is_float(const struct function *f) {
    return f->float_unary || f->float_binary || f->float_ternary;
}

static double any_bits(const struct function *f) {
    double value;
    if (is_float(f)) {
        uint32_t bits = (uint32_t)random_bits();
        float single;
        memcpy(&single, &bits, sizeof single);
        value = single;
    } else {
        uint64_t bits = random_bits();
        memcpy(&value, &bits, sizeof value);
    }
    /* The sum makes a signalling NaN quiet: C99 says nothing about those. */
    return value + 0.0;
}

/* Log-uniform in [low, high]. */
static double log_uniform(double low, double high) {
    double from = log2(low), to = log2(high);
    return fmin(exp2(from + (to - from) * uniform()), high);
}

double unary_input(const struct function *f, long index) {
    double x;
    switch (index % (f->focus == FOCUS_RANGE ? 3 : 4)) {
    case 0: x = any_bits(f); break;
    case 1: x = random_sign(log_uniform(f->low, f->high)); break;
    case 2:
        /* Uniform, over a range in which most functions do their work. */
        x = (2 * uniform() - 1) * fmin(f->high, 1024);
        break;
    default:
        if (f->focus == FOCUS_HALF_PI) {
            double turns = floor(log_uniform(1, 0x1p40));
            x = turns * 0x1.921fb54442d18p0 * (1 + random_sign(exp2(-53 * uniform() - 1)));
            x = random_bits() & 1 ? turns * 0x1.921fb54442d18p0 : x;
        } else {
            x = random_sign(1 + random_sign(exp2(-53 * uniform())));
        }
    }
    return x;
}

void binary_input(const struct function *f, long index, double *x, double *y) {
    switch (index % 4) {
    case 0:
        *x = any_bits(f);
        *y = any_bits(f);
        break;
    case 1:
        *x = random_sign(log_uniform(f->low, f->high));
        *y = random_sign(log_uniform(f->low, f->high));
        break;
    case 2:
        *x = index & 4 ? log_uniform(f->low, f->high) : 1 + random_sign(exp2(-50 * uniform()));
        break;
    default:
        *x = random_sign(log_uniform(0x1p-10, 0x1p10));
        *y = random_sign(log_uniform(0x1p-10, 0x1p10));
    }
    if (index % 4 == 2 && f->focus == FOCUS_POWER) {
        /* The rounding of x to float moves its logarithm, by which the exponent is divided. */
        double base = is_float(f) ? (float)*x : *x;
        double reach = is_float(f) ? 104 : 746;
        *y = random_sign(reach * uniform()) / (base == 1 ? 1 : log(base));
    } else if (index % 4 == 2) {
        *x = random_sign(*x);
        *y = random_sign(*x * log_uniform(0x1p-60, 0x1p60));
    }
    if (f->focus == FOCUS_POWER && index % 4 == 3) {
        /* Small integers: signs, exact results. */
        *y = random_bits() & 1 ? nearbyint(*y) : *y;
    }
}

void ternary_input(const struct function *f, long index, double *x, double *y, double *z) {
    binary_input(f, index, x, y);
    *z = index & 1 ? any_bits(f) : -*x * *y * (1 + random_sign(exp2(-60 * uniform())));
}
