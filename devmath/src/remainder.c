/*
 * The remainder of a division rounded to nearest, exact: what fmod leaves of a division by a multiple of the divisor
 * says whether the quotient is odd.
 */
#include "../devmath.h"
#include "scale.h"

double __gpuc_remainder(double x, double y) {
    double a = __builtin_fabs(x);
    double b = __builtin_fabs(y);
    double rest = b + b < INFINITE_DOUBLE ? __gpuc_fmod(a, b + b) : a;
    int odd = rest >= b;
    rest = odd ? rest - b : rest;
    double other = b - rest;
    rest = rest > other || (rest == other && odd) ? rest - b : rest;
    rest = __gpuc_double_as_long(x) < 0 ? -rest : rest;
    int wrong = b == 0.0 || !(a < INFINITE_DOUBLE);
    rest = b == INFINITE_DOUBLE ? x : rest;
    rest = wrong ? NAN_DOUBLE : rest;
    return x != x || y != y ? x + y : rest;
}

float __gpuc_remainderf(float x, float y) {
    float a = __builtin_fabsf(x);
    float b = __builtin_fabsf(y);
    float rest = b + b < INFINITE_FLOAT ? __gpuc_fmodf(a, b + b) : a;
    int odd = rest >= b;
    rest = odd ? rest - b : rest;
    float other = b - rest;
    rest = rest > other || (rest == other && odd) ? rest - b : rest;
    rest = __gpuc_float_as_int(x) < 0 ? -rest : rest;
    int wrong = b == 0.0f || !(a < INFINITE_FLOAT);
    rest = b == INFINITE_FLOAT ? x : rest;
    rest = wrong ? NAN_FLOAT : rest;
    return x != x || y != y ? x + y : rest;
}

/* Three bits of the quotient, rounded, with its sign: what remquo stores, 8 included, as the GNU library does. */
int __gpuc_remquo_quotient(double x, double y) {
    double a = __builtin_fabs(x);
    double b = __builtin_fabs(y);
    double rest = 8.0 * b < INFINITE_DOUBLE ? __gpuc_fmod(a, 8.0 * b) : a;
    int quotient = 0;
    int more = rest >= 4.0 * b;
    quotient = more ? 4 : 0;
    rest = more ? rest - 4.0 * b : rest;
    more = rest >= 2.0 * b;
    quotient = more ? quotient + 2 : quotient;
    rest = more ? rest - 2.0 * b : rest;
    more = rest >= b;
    quotient = more ? quotient + 1 : quotient;
    rest = more ? rest - b : rest;
    double other = b - rest;
    quotient = rest > other || (rest == other && more) ? quotient + 1 : quotient;
    int negative = (__gpuc_double_as_long(x) < 0) != (__gpuc_double_as_long(y) < 0);
    int valid = b > 0.0 && b < INFINITE_DOUBLE && a < INFINITE_DOUBLE;
    return valid ? (negative ? -quotient : quotient) : 0;
}

int __gpuc_remquo_quotientf(float x, float y) { return __gpuc_remquo_quotient((double)x, (double)y); }
