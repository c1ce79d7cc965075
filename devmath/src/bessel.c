/*
 * Bessel functions of whole orders. Where x is large, Hankel's expansion; else Miller's way: the recurrence from
 * an order where the function has vanished downwards, scaled by the sum 1 = J0 + 2 J2 + 2 J4 + ... (Abramowitz and Stegun,
 * 9.1.46); the same loop sums Neumann's series of Y0 (9.1.89). Y1 comes from the Wronskian's neighbours (9.1.88), higher orders of
 * the second kind by the recurrence upwards. Absolute errors are small, also around the zeros.
 */
#include "../devmath.h"
#include "scale.h"

#define EULER_GAMMA 0x1.2788cfc6fb619p-1
#define BESSEL_LN_2 0x1.62e42fefa39efp-1
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define ONE_OVER_SQRT_PI 0x1.20dd750429b6dp-1
/* From here on Hankel's expansion is exact enough. */
#define BESSEL_FAR 25.0
/* J of this order has vanished below. */
#define BESSEL_START 70

/* Hankel's sums P and Q of order n (A. & S. 9.2.9, 9.2.10): terms shrink while k < 2 x. */
static inline double hankel(double x, double order, int which) {
    double mu = 4.0 * order * order;
    double term = 1.0;
    double p = 1.0;
    double q = 0.0;
    for (int k = 1; k <= 24; k++) {
        double odd = 2.0 * k - 1.0;
        term = term * (mu - odd * odd) / (k * 8.0 * x);
        int place = k & 3;
        p = place == 2 ? p - term : place == 0 ? p + term : p;
        q = place == 1 ? q + term : place == 3 ? q - term : q;
    }
    return which ? q : p;
}

/* Which function: J or Y, of order 0 or 1. */
static inline double bessel_far(double x, int order, int second) {
    double p = hankel(x, (double)order, 0);
    double q = hankel(x, (double)order, 1);
    double s = __gpuc_sin(x);
    double c = __gpuc_cos(x);
    /* cos and sin of x - pi/4 and x - 3 pi/4, times the root of 2. */
    double cosine = order ? s - c : s + c;
    double sine = order ? -s - c : s - c;
    double value = second ? p * sine + q * cosine : p * cosine - q * sine;
    return value * (ONE_OVER_SQRT_PI / __builtin_sqrt(x));
}

/* J of orders 0 and 1, and the sums of Y0 and Y1, for 0 < x < BESSEL_FAR. */
static inline double bessel_near(double x, int order, int second) {
    double after = 0.0;
    double here = 0x1p-900;
    double norm = 0.0;
    double sum0 = 0.0;
    double sum1 = 0.0;
    double inverse = 2.0 / x;
    for (int i = 0; i < BESSEL_START; i++) {
        int k = BESSEL_START - i;
        /* `here` is J of order k; it is scaled down before it overflows. */
        int even = (k & 1) == 0;
        int half = k >> 1;
        double sign = (half & 1) ? -1.0 : 1.0;
        norm = even ? norm + 2.0 * here : norm;
        sum0 = even ? sum0 + sign * here / half : sum0;
        /* J1 - J3 (weights of order 2 m + 1). */
        double weight = (2.0 * half + 1.0) / (half > 0 ? half * (half + 1.0) : 1.0);
        sum1 = !even && half > 0 ? sum1 + sign * here * weight : sum1;
        double before = k * inverse * here - after;
        after = here;
        here = before;
        double scale = __builtin_fabs(here) > 0x1p500 ? 0x1p-900 : 1.0;
        here = here * scale;
        after = after * scale;
        norm = norm * scale;
        sum0 = sum0 * scale;
        sum1 = sum1 * scale;
    }
    norm = norm + here;
    double j0 = here / norm;
    double j1 = after / norm;
    double logarithm = __gpuc_log(0.5 * x) + EULER_GAMMA;
    double y0 = TWO_OVER_PI * (logarithm * j0 - 2.0 * (sum0 / norm));
    double y1 = TWO_OVER_PI * ((logarithm - 1.0) * j1 - j0 / x - sum1 / norm);
    return second ? (order ? y1 : y0) : (order ? j1 : j0);
}

static inline double bessel_small(double x, int order) {
    return order ? 0.5 * x : 1.0 - 0.25 * x * x;
}

static inline double bessel_first(double x, int order) {
    double a = __builtin_fabs(x);
    double near = a < 0x1p-20 ? bessel_small(a, order) : bessel_near(a < 0x1p-20 || !(a < BESSEL_FAR) ? 1.0 : a, order, 0);
    double far = bessel_far(a < INFINITE_DOUBLE ? __builtin_fmax(a, BESSEL_FAR) : BESSEL_FAR, order, 0);
    double result = a < BESSEL_FAR ? near : far;
    result = a == INFINITE_DOUBLE ? 0.0 : result;
    result = order && x < 0.0 ? -result : result;
    return x != x ? x + x : result;
}

static inline double bessel_second(double x, int order) {
    double inside = x > 0x1p-20 && x < BESSEL_FAR ? x : 1.0;
    double near = bessel_near(inside, order, 1);
    double small = order ? -TWO_OVER_PI / x : TWO_OVER_PI * (__gpuc_log(x) + (EULER_GAMMA - BESSEL_LN_2));
    double far = bessel_far(x < INFINITE_DOUBLE ? __builtin_fmax(x, BESSEL_FAR) : BESSEL_FAR, order, 1);
    double result = x < BESSEL_FAR ? (x > 0x1p-20 ? near : small) : far;
    result = x == INFINITE_DOUBLE ? 0.0 : result;
    result = x == 0.0 ? -INFINITE_DOUBLE : result;
    result = x < 0.0 ? NAN_DOUBLE : result;
    return x != x ? x + x : result;
}

double __gpuc_j0(double x) { return bessel_first(x, 0); }
double __gpuc_j1(double x) { return bessel_first(x, 1); }
double __gpuc_y0(double x) { return bessel_second(x, 0); }
double __gpuc_y1(double x) { return bessel_second(x, 1); }

double __gpuc_jn(int n, double x) {
    int m = n < 0 ? -n : n;
    double a = __builtin_fabs(x);
    double before = __gpuc_j0(a);
    double result = m == 0 ? before : __gpuc_j1(a);
    if (m > 1) {
        if (a > (double)m) {
            for (int k = 1; k < m; k++) {
                double next = 2.0 * k / a * result - before;
                before = result;
                result = next;
            }
        } else if (a < 0x1p-100) {
            /* (x/2)^n / n! */
            result = 1.0;
            for (int k = 1; k <= m; k++) {
                result = result * (0.5 * a / k);
            }
        } else {
            /* Downwards from beyond the order, scaled by the sum. */
            int start = 2 * ((m + 40 + (int)__builtin_sqrt(60.0 * m)) / 2);
            double after = 0.0;
            double here = 0x1p-900;
            double norm = 0.0;
            double wanted = 0.0;
            for (int k = start; k > 0; k--) {
                norm = (k & 1) == 0 ? norm + 2.0 * here : norm;
                wanted = k == m ? here : wanted;
                double lower = 2.0 * k / a * here - after;
                after = here;
                here = lower;
                double scale = __builtin_fabs(here) > 0x1p500 ? 0x1p-900 : 1.0;
                here = here * scale;
                after = after * scale;
                norm = norm * scale;
                wanted = wanted * scale;
            }
            result = wanted / (norm + here);
        }
        result = a == INFINITE_DOUBLE ? 0.0 : result;
    }
    int odd = m & 1;
    result = odd && ((n < 0) != (x < 0.0)) ? -result : result;
    return x != x ? x + x : result;
}

double __gpuc_yn(int n, double x) {
    int m = n < 0 ? -n : n;
    double before = __gpuc_y0(x);
    double result = m == 0 ? before : __gpuc_y1(x);
    if (m > 1 && x > 0.0 && x < INFINITE_DOUBLE) {
        for (int k = 1; k < m; k++) {
            double next = 2.0 * k / x * result - before;
            before = result == -INFINITE_DOUBLE ? 0.0 : result;
            result = result == -INFINITE_DOUBLE ? result : next;
        }
    }
    return n < 0 && (m & 1) ? -result : result;
}

float __gpuc_j0f(float x) { return (float)__gpuc_j0((double)x); }
float __gpuc_j1f(float x) { return (float)__gpuc_j1((double)x); }
float __gpuc_y0f(float x) { return (float)__gpuc_y0((double)x); }
float __gpuc_y1f(float x) { return (float)__gpuc_y1((double)x); }
float __gpuc_jnf(int n, float x) { return (float)__gpuc_jn(n, (double)x); }
float __gpuc_ynf(int n, float x) { return (float)__gpuc_yn(n, (double)x); }
