/*
 * Sine, cosine and tangent in float. x = n pi/2 + r + r_low with |r| <= pi/4. Up to 2^17 the
 * reduction is Cody and Waite's with pi/2 in three parts (an fma gives the error of a product, so no
 * part needs trailing zeros); beyond, Payne and Hanek's with the bits of 2/pi that matter.
 */
#include "../devmath.h"
#include "coefficients.h"
#include "scale.h"

/* Which function `trig_float` computes; a constant in every call. */
#define TRIG_SIN 0
#define TRIG_COS 1
#define TRIG_TAN 2

/*
 * |x| 2/pi modulo 4 as a 64-bit fixed-point number with two integer bits, for finite |x| >= 2^17.
 * The words of 2/pi are shifted down by whole words, then by bits, with selections instead of a
 * table in memory.
 */
static inline unsigned long long payne_hanek_float(float x) {
    unsigned bits = (unsigned)__gpuc_float_as_int(x) & 0x7fffffffu;
    unsigned long long m = (unsigned long long)((bits & 0x007fffffu) | 0x00800000u);
    /* |x| = m 2^e. Bits of 2/pi of weight above 2^(2-e) give multiples of 4. */
    int e = (int)(bits >> 23) - 150;
    unsigned offset = (unsigned)(e + 30);
    unsigned word = offset >> 5;
    unsigned shift = offset & 31u;
    int by4 = (word & 4u) != 0u;
    int by2 = (word & 2u) != 0u;
    int by1 = (word & 1u) != 0u;
    unsigned a0 = by4 ? TWO_OVER_PI_WORDF_4 : 0u;
    unsigned a1 = by4 ? TWO_OVER_PI_WORDF_5 : TWO_OVER_PI_WORDF_1;
    unsigned a2 = by4 ? TWO_OVER_PI_WORDF_6 : TWO_OVER_PI_WORDF_2;
    unsigned a3 = by4 ? TWO_OVER_PI_WORDF_7 : TWO_OVER_PI_WORDF_3;
    /* Words past these are reached only with `word` < 4. */
    unsigned a4 = TWO_OVER_PI_WORDF_4;
    unsigned a5 = TWO_OVER_PI_WORDF_5;
    unsigned a6 = TWO_OVER_PI_WORDF_6;
    unsigned b0 = by2 ? a2 : a0;
    unsigned b1 = by2 ? a3 : a1;
    unsigned b2 = by2 ? a4 : a2;
    unsigned b3 = by2 ? a5 : a3;
    unsigned b4 = by2 ? a6 : a4;
    unsigned long long w0 = (unsigned long long)(by1 ? b1 : b0);
    unsigned long long w1 = (unsigned long long)(by1 ? b2 : b1);
    unsigned long long w2 = (unsigned long long)(by1 ? b3 : b2);
    unsigned long long w3 = (unsigned long long)(by1 ? b4 : b3);
    unsigned long long high = (((w0 << 32) | w1) << shift) | ((w2 << shift) >> 32);
    unsigned long long low = (((w2 << 32) | w3) << shift) >> 32;
    return m * high + ((m * low) >> 32);
}

static inline float trig_float(float x, int which) {
    float shifted = __builtin_fmaf(x, TWO_OVER_PIF, ROUND_TO_INT_FLOAT);
    float n = shifted - ROUND_TO_INT_FLOAT;
    int quadrant = rounded_int_float(shifted);
    float near = __builtin_fmaf(n, -HALF_PIF_HI, x);
    /* `near` is exact and a multiple of the last bit of the middle product: Fast2Sum applies. */
    float middle = n * HALF_PIF_MID;
    float far = __builtin_fmaf(n, HALF_PIF_MID, -middle);
    far = __builtin_fmaf(n, HALF_PIF_LO, far);
    float r = near - middle;
    float r_low = ((near - r) - middle) - far;
    if (__builtin_fabsf(x) >= 0x1p17f) {
        unsigned long long turns = payne_hanek_float(x);
        quadrant = (int)((turns + 0x2000000000000000ull) >> 62);
        /* The signed fraction of a quadrant, in units of 2^-64, times pi/2. */
        double wide = (double)(long long)(turns << 2) * (HALF_PI_HI * 0x1p-64);
        wide = x < 0.0f ? -wide : wide;
        quadrant = x < 0.0f ? -quadrant : quadrant;
        r = (float)wide;
        r_low = (float)(wide - (double)r);
        r = __builtin_fabsf(x) == INFINITE_FLOAT ? NAN_FLOAT : r;
    }

    float z = r * r;
    float result;
    if (which == TRIG_TAN) {
        float p = SINF_2;
        p = __builtin_fmaf(p, z, SINF_1);
        p = __builtin_fmaf(p, z, SINF_0);
        float sine_low = __builtin_fmaf(z * r, p, __builtin_fmaf(-0.5f * z, r_low, r_low));
        float sine = r + sine_low;
        sine_low = (r - sine) + sine_low;
        float q = COSF_2;
        q = __builtin_fmaf(q, z, COSF_1);
        q = __builtin_fmaf(q, z, COSF_0);
        float cosine = __builtin_fmaf(z, -0.5f, 1.0f);
        float cosine_low = __builtin_fmaf(z, -0.5f, 1.0f - cosine);
        /* What the rounding of r^2 to z took away counts with -1/2. */
        cosine_low = __builtin_fmaf(-0.5f, __builtin_fmaf(r, r, -z), cosine_low);
        cosine_low = __builtin_fmaf(z * z, q, __builtin_fmaf(-r, r_low, cosine_low));
        float total = cosine + cosine_low;
        cosine_low = (cosine - total) + cosine_low;
        int odd = (quadrant & 1) != 0;
        float top = odd ? -total : sine;
        float top_low = odd ? -cosine_low : sine_low;
        float bottom = odd ? sine : total;
        float bottom_low = odd ? sine_low : cosine_low;
        float quotient = top / bottom;
        float rest = __builtin_fmaf(-quotient, bottom, top);
        rest = __builtin_fmaf(-quotient, bottom_low, rest + top_low);
        /* The correction needs a few bits only; bottom is far from overflow. */
        result = quotient + rest / bottom;
    } else {
        unsigned phase = (unsigned)quadrant + (unsigned)which;
        int odd = (phase & 1u) != 0u;
        float p = odd ? COSF_2 : SINF_2;
        p = __builtin_fmaf(p, z, odd ? COSF_1 : SINF_1);
        p = __builtin_fmaf(p, z, odd ? COSF_0 : SINF_0);
        float sine_low = __builtin_fmaf(z * r, p, r_low);
        float cosine = __builtin_fmaf(z, -0.5f, 1.0f);
        float cosine_low = __builtin_fmaf(z, -0.5f, 1.0f - cosine);
        cosine_low = __builtin_fmaf(z * z, p, __builtin_fmaf(-r, r_low, cosine_low));
        result = odd ? cosine + cosine_low : r + sine_low;
        result = (phase & 2u) != 0u ? -result : result;
    }
    return which != TRIG_COS && x == 0.0f ? x : result;
}

float __gpuc_sinf(float x) { return trig_float(x, TRIG_SIN); }
float __gpuc_cosf(float x) { return trig_float(x, TRIG_COS); }
float __gpuc_tanf(float x) { return trig_float(x, TRIG_TAN); }
