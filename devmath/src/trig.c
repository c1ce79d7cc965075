/*
 * Sine, cosine and tangent in double. x = n pi/2 + r + r_low with |r| <= pi/4. Up to 2^30 the
 * reduction is Cody and Waite's with pi/2 in three parts (an fma gives the error of a product, so no
 * part needs trailing zeros); beyond, Payne and Hanek's with the bits of 2/pi that matter.
 */
#include "../devmath.h"
#include "coefficients.h"
#include "scale.h"

/* Which function `trig_double` computes; a constant in every call. */
#define TRIG_SIN 0
#define TRIG_COS 1
#define TRIG_TAN 2

/* The word of 2/pi at `other` where `far` says so, at `index` otherwise. */
#define TWO_OVER_PI_AT(far, index, other) \
    ((far) ? TWO_OVER_PI_WORD_##other : TWO_OVER_PI_WORD_##index)

/*
 * |x| 2/pi modulo 4 as a 128-bit fixed-point number with two integer bits, for finite
 * |x| >= 2^30; `low_half` asks for its lower 64 bits. The words of 2/pi are shifted down by whole
 * words, then by bits, with selections instead of a table in memory.
 */
static inline unsigned long long payne_hanek_double(double x, int low_half) {
    unsigned long long bits = (unsigned long long)__gpuc_double_as_long(x) & 0x7fffffffffffffffull;
    unsigned long long m = (bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
    /* |x| = m 2^e. Bits of 2/pi of weight above 2^(2-e) give multiples of 4. */
    int e = (int)(bits >> 52) - 1075;
    unsigned offset = (unsigned)(e + 62);
    unsigned word = offset >> 6;
    unsigned shift = offset & 63u;
    int by16 = (word & 16u) != 0u;
    int by8 = (word & 8u) != 0u;
    int by4 = (word & 4u) != 0u;
    int by2 = (word & 2u) != 0u;
    int by1 = (word & 1u) != 0u;
    /* `word` is at most 16, so that a shift by 16 is followed by no other. */
    unsigned long long a0 = by16 ? TWO_OVER_PI_WORD_16 : 0ull;
    unsigned long long a1 = TWO_OVER_PI_AT(by16, 1, 17);
    unsigned long long a2 = TWO_OVER_PI_AT(by16, 2, 18);
    unsigned long long a3 = TWO_OVER_PI_AT(by16, 3, 19);
    unsigned long long b0 = by8 ? TWO_OVER_PI_WORD_8 : a0;
    unsigned long long b1 = by8 ? TWO_OVER_PI_WORD_9 : a1;
    unsigned long long b2 = by8 ? TWO_OVER_PI_WORD_10 : a2;
    unsigned long long b3 = by8 ? TWO_OVER_PI_WORD_11 : a3;
    unsigned long long b4 = TWO_OVER_PI_AT(by8, 4, 12);
    unsigned long long b5 = TWO_OVER_PI_AT(by8, 5, 13);
    unsigned long long b6 = TWO_OVER_PI_AT(by8, 6, 14);
    unsigned long long b7 = TWO_OVER_PI_AT(by8, 7, 15);
    unsigned long long b8 = TWO_OVER_PI_AT(by8, 8, 16);
    unsigned long long b9 = TWO_OVER_PI_AT(by8, 9, 17);
    unsigned long long b10 = TWO_OVER_PI_AT(by8, 10, 18);
    unsigned long long c0 = by4 ? b4 : b0;
    unsigned long long c1 = by4 ? b5 : b1;
    unsigned long long c2 = by4 ? b6 : b2;
    unsigned long long c3 = by4 ? b7 : b3;
    unsigned long long c4 = by4 ? b8 : b4;
    unsigned long long c5 = by4 ? b9 : b5;
    unsigned long long c6 = by4 ? b10 : b6;
    unsigned long long d0 = by2 ? c2 : c0;
    unsigned long long d1 = by2 ? c3 : c1;
    unsigned long long d2 = by2 ? c4 : c2;
    unsigned long long d3 = by2 ? c5 : c3;
    unsigned long long d4 = by2 ? c6 : c4;
    unsigned long long w0 = by1 ? d1 : d0;
    unsigned long long w1 = by1 ? d2 : d1;
    unsigned long long w2 = by1 ? d3 : d2;
    unsigned long long w3 = by1 ? d4 : d3;
    /* A shift by 64 is not defined: shift by 1 and by the rest. */
    unsigned back = 63u - shift;
    unsigned long long t0 = (w0 << shift) | ((w1 >> 1) >> back);
    unsigned long long t1 = (w1 << shift) | ((w2 >> 1) >> back);
    unsigned long long t2 = (w2 << shift) | ((w3 >> 1) >> back);
    unsigned long long middle = m * t1;
    unsigned long long low = middle + __gpuc_umulhi(m, t2);
    unsigned long long carry = low < middle ? 1ull : 0ull;
    unsigned long long high = m * t0 + __gpuc_umulhi(m, t1) + carry;
    return low_half ? low : high;
}

static inline double trig_double(double x, int which) {
    double shifted = __builtin_fma(x, TWO_OVER_PI, ROUND_TO_INT_DOUBLE);
    double n = shifted - ROUND_TO_INT_DOUBLE;
    int quadrant = rounded_int_double(shifted);
    double near = __builtin_fma(n, -HALF_PI_HI, x);
    /* `near` is exact and a multiple of the last bit of the middle product: Fast2Sum applies. */
    double middle = n * HALF_PI_MID;
    double far = __builtin_fma(n, HALF_PI_MID, -middle);
    far = __builtin_fma(n, HALF_PI_LO, far);
    double r = near - middle;
    double r_low = ((near - r) - middle) - far;
    if (__builtin_fabs(x) >= 0x1p30) {
        unsigned long long high = payne_hanek_double(x, 0);
        unsigned long long low = payne_hanek_double(x, 1);
        quadrant = (int)((high + 0x2000000000000000ull) >> 62);
        /*
         * The signed fraction of a quadrant in pieces of 53, 53 and 22 bits, each exact as a
         * double, so that no bit is lost where the first ones are zeros.
         */
        long long whole = (long long)((high << 2) | (low >> 62));
        low = low << 2;
        long long first = whole & ~0x7ffll;
        long long second = ((whole & 0x7ffll) << 42) | (long long)(low >> 22);
        long long third = (long long)(low & 0x3fffffull);
        double u = (double)first * 0x1p-64;
        double v = (double)second * 0x1p-106;
        double part = u + v;
        double part_low = (u - part) + v + (double)third * 0x1p-128;
        r = part * HALF_PI_HI;
        r_low = __builtin_fma(part, HALF_PI_HI, -r);
        r_low = __builtin_fma(part, HALF_PI_MID, __builtin_fma(part_low, HALF_PI_HI, r_low));
        r = x < 0.0 ? -r : r;
        r_low = x < 0.0 ? -r_low : r_low;
        quadrant = x < 0.0 ? -quadrant : quadrant;
        r = __builtin_fabs(x) == INFINITE_DOUBLE ? NAN_DOUBLE : r;
    }

    double z = r * r;
    double result;
    if (which == TRIG_TAN) {
        double p = SIN_5;
        p = __builtin_fma(p, z, SIN_4);
        p = __builtin_fma(p, z, SIN_3);
        p = __builtin_fma(p, z, SIN_2);
        p = __builtin_fma(p, z, SIN_1);
        p = __builtin_fma(p, z, SIN_0);
        double sine_low = __builtin_fma(z * r, p, __builtin_fma(-0.5 * z, r_low, r_low));
        double sine = r + sine_low;
        sine_low = (r - sine) + sine_low;
        double q = COS_5;
        q = __builtin_fma(q, z, COS_4);
        q = __builtin_fma(q, z, COS_3);
        q = __builtin_fma(q, z, COS_2);
        q = __builtin_fma(q, z, COS_1);
        q = __builtin_fma(q, z, COS_0);
        double cosine = __builtin_fma(z, -0.5, 1.0);
        double cosine_low = __builtin_fma(z, -0.5, 1.0 - cosine);
        /* What the rounding of r^2 to z took away counts with -1/2. */
        cosine_low = __builtin_fma(-0.5, __builtin_fma(r, r, -z), cosine_low);
        cosine_low = __builtin_fma(z * z, q, __builtin_fma(-r, r_low, cosine_low));
        double total = cosine + cosine_low;
        cosine_low = (cosine - total) + cosine_low;
        int odd = (quadrant & 1) != 0;
        double top = odd ? -total : sine;
        double top_low = odd ? -cosine_low : sine_low;
        double bottom = odd ? sine : total;
        double bottom_low = odd ? sine_low : cosine_low;
        double inverse = 1.0 / bottom;
        double quotient = top * inverse;
        double rest = __builtin_fma(-quotient, bottom, top);
        rest = __builtin_fma(-quotient, bottom_low, rest + top_low);
        result = __builtin_fma(rest, inverse, quotient);
    } else {
        unsigned phase = (unsigned)quadrant + (unsigned)which;
        int odd = (phase & 1u) != 0u;
        double p = odd ? COS_5 : SIN_5;
        p = __builtin_fma(p, z, odd ? COS_4 : SIN_4);
        p = __builtin_fma(p, z, odd ? COS_3 : SIN_3);
        p = __builtin_fma(p, z, odd ? COS_2 : SIN_2);
        p = __builtin_fma(p, z, odd ? COS_1 : SIN_1);
        p = __builtin_fma(p, z, odd ? COS_0 : SIN_0);
        double sine_low = __builtin_fma(z * r, p, r_low);
        double cosine = __builtin_fma(z, -0.5, 1.0);
        double cosine_low = __builtin_fma(z, -0.5, 1.0 - cosine);
        cosine_low = __builtin_fma(z * z, p, __builtin_fma(-r, r_low, cosine_low));
        result = odd ? cosine + cosine_low : r + sine_low;
        result = (phase & 2u) != 0u ? -result : result;
    }
    return which != TRIG_COS && x == 0.0 ? x : result;
}

double __gpuc_sin(double x) { return trig_double(x, TRIG_SIN); }
double __gpuc_cos(double x) { return trig_double(x, TRIG_COS); }
double __gpuc_tan(double x) { return trig_double(x, TRIG_TAN); }
