/*
 * Measures the error of every devmath function and prints a Markdown table.
 *
 *     accuracy [--quick] [--stride N] [--points N] [FUNCTION...]
 *
 * A float function of one argument is measured over every Nth bit pattern (N = 1: all), a float
 * function of several over 10 N random tuples, a double function over N random points, and all of
 * them over special and boundary values with their neighbours.
 * Exit status 1: a function exceeds its bound, or gives a wrong NaN, infinity, zero or sign.
 */
#define _GNU_SOURCE
#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "inputs.h"

/* Neighbours looked at on each side of a boundary value. */
#define NEIGHBOURS 100

/* Tuples of floats for one point of double: their reference is so much faster. */
#define FLOAT_TUPLES 10

struct measurement {
    long points;
    double worst_ulp;     /* |result - exact| in ulp of the exact result */
    long worst_distance;  /* numbers between the result and the correctly rounded one */
    double worst_at[3];
    long wrong_specials;
    double special_at[3];
};

/* Position of a number in the order of all numbers of its format. */
static int64_t order_float(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & 0x7fffffff) : bits;
}

static int64_t order_double(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static void note(struct measurement *m, const double at[3], double ulp, int64_t distance) {
    if (ulp > m->worst_ulp) {
        m->worst_ulp = ulp;
        memcpy(m->worst_at, at, sizeof m->worst_at);
    }
    m->worst_distance = distance > m->worst_distance ? distance : m->worst_distance;
}

static void note_special(struct measurement *m, const double at[3]) {
    if (m->wrong_specials++ == 0) {
        memcpy(m->special_at, at, sizeof m->special_at);
    }
}

/*
 * Results that are no finite non-zero numbers have no error in ulp: they must be the correctly
 * rounded ones. An overflow that is off by one number shows in the ulps of the finite one.
 */
static int is_special(double result, double rounded) {
    return isnan(result) || isnan(rounded) || (result == 0 && rounded == 0) ||
           (isinf(result) && isinf(rounded));
}

static int same_special(double result, double rounded) {
    return isnan(result) ? isnan(rounded)
                         : result == rounded && !signbit(result) == !signbit(rounded);
}

static void record_float(struct measurement *m, const double at[3], float result, double exact) {
    float rounded = (float)exact;
    m->points++;
    if (is_special(result, rounded)) {
        if (!same_special(result, rounded)) note_special(m, at);
        return;
    }
    /* Infinity stands for the number after the largest. */
    double value = isinf(result) ? copysign(0x1p128, result) : result;
    exact = isinf(exact) ? copysign(0x1p128, exact) : exact;
    int exponent = exact == 0 ? -126 : ilogb(exact);
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    note(m, at, fabs(value - exact) * ldexp(1, 23 - exponent),
         llabs(order_float(result) - order_float(rounded)));
}

static void record_double(struct measurement *m, const double at[3], double result, quad exact) {
    double rounded = (double)exact;
    m->points++;
    if (is_special(result, rounded)) {
        if (!same_special(result, rounded)) note_special(m, at);
        return;
    }
    quad value = isinf(result) ? copysign(1, result) * 0x1p1023 * (quad)2 : result;
    exact = isinfq(exact) ? copysignq(0x1p1023 * (quad)2, exact) : exact;
    int exponent = exact == 0 ? -1022 : ilogbq(exact);
    exponent = exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent;
    note(m, at, (double)(fabsq(value - exact) * ldexpq(1, 52 - exponent)),
         llabs(order_double(result) - order_double(rounded)));
}

/* The sign of a minimum or maximum of two zeros is free: C99 F.9.9.2. */
static int zero_sign_is_free(const struct function *f, double x, double y) {
    return x == 0 && y == 0 && (strncmp(f->name, "fmin", 4) == 0 || strncmp(f->name, "fmax", 4) == 0);
}

static void measure_at(struct measurement *m, const struct function *f, double x, double y,
                       double z) {
    if (f->float_unary) {
        float a = (float)x;
        record_float(m, (double[3]){a}, f->float_unary(a), f->reference_unary(a));
    } else if (f->float_binary) {
        float a = (float)x, b = (float)y;
        float result = f->float_binary(a, b);
        if (zero_sign_is_free(f, a, b)) result = copysignf(result, (float)f->reference_binary(a, b));
        record_float(m, (double[3]){a, b}, result, f->reference_binary(a, b));
    } else if (f->float_ternary) {
        float a = (float)x, b = (float)y, c = (float)z;
        record_float(m, (double[3]){a, b, c}, f->float_ternary(a, b, c),
                     f->reference_ternary(a, b, c));
    } else if (f->double_unary) {
        record_double(m, (double[3]){x}, f->double_unary(x), f->quad_unary(x));
    } else if (f->double_binary) {
        double result = f->double_binary(x, y);
        if (zero_sign_is_free(f, x, y)) result = copysign(result, (double)f->quad_binary(x, y));
        record_double(m, (double[3]){x, y}, result, f->quad_binary(x, y));
    } else {
        record_double(m, (double[3]){x, y, z}, f->double_ternary(x, y, z),
                      f->quad_ternary(x, y, z));
    }
}

static int is_unary(const struct function *f) { return f->float_unary || f->double_unary; }

/* All combinations of special values, with both signs. */
static void measure_specials(struct measurement *m, const struct function *f) {
    int signed_count = 2 * special_count;
    int seconds = is_unary(f) ? 1 : signed_count;
    int thirds = f->float_ternary || f->double_ternary ? signed_count : 1;
    for (int i = 0; i < signed_count * seconds * thirds; i++) {
        double arguments[3];
        int rest = i;
        for (int k = 0; k < 3; k++) {
            double magnitude = special_values[rest / 2 % special_count];
            arguments[k] = rest % 2 ? -magnitude : magnitude;
            rest /= signed_count;
        }
        measure_at(m, f, arguments[0], arguments[1], arguments[2]);
    }
}

/* Boundary values of a unary function with their neighbours, with both signs. */
static void measure_boundaries(struct measurement *m, const struct function *f) {
    for (int i = 0; i < boundary_count; i++) {
        float narrow = (float)boundary_values[i];
        double wide = boundary_values[i];
        for (int k = 0; k < NEIGHBOURS; k++) {
            narrow = nextafterf(narrow, 0);
            wide = nextafter(wide, 0);
        }
        for (int k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
            double x = f->float_unary ? narrow : wide;
            measure_at(m, f, x, 0, 0);
            measure_at(m, f, -x, 0, 0);
            narrow = nextafterf(narrow, INFINITY);
            wide = nextafter(wide, INFINITY);
        }
    }
}

static struct measurement measure(const struct function *f, long stride, long points) {
    struct measurement m = {0};
    inputs_restart();
    measure_specials(&m, f);
    if (is_unary(f)) measure_boundaries(&m, f);
    if (f->float_unary) {
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += (uint64_t)stride) {
            uint32_t pattern = (uint32_t)bits;
            float x;
            memcpy(&x, &pattern, sizeof x);
            record_float(&m, (double[3]){x}, f->float_unary(x), f->reference_unary(x));
        }
        return m;
    }
    long count = f->float_binary || f->float_ternary ? FLOAT_TUPLES * points : points;
    for (long i = 0; i < count; i++) {
        double x = 0, y = 0, z = 0;
        if (is_unary(f)) x = unary_input(f, i);
        else if (f->float_binary || f->double_binary) binary_input(f, i, &x, &y);
        else ternary_input(f, i, &x, &y, &z);
        measure_at(&m, f, x, y, z);
    }
    return m;
}

/*
 * The guide states distances from the correctly rounded result. The error against the exact result
 * is held to the same number, which is stricter, except that it is never under half an ulp.
 */
static int within_bound(const struct function *f, const struct measurement *m) {
    double guide = f->guide < 0 ? 0 : f->guide;
    return m->wrong_specials == 0 && (double)m->worst_distance <= guide &&
           m->worst_ulp <= fmax(guide, 0.5);
}

static void print_arguments(FILE *stream, const double at[3], const struct function *f) {
    fprintf(stream, "%a", at[0]);
    if (!is_unary(f)) fprintf(stream, ", %a", at[1]);
    if (f->float_ternary || f->double_ternary) fprintf(stream, ", %a", at[2]);
}

static int selected(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return 1;
    }
    return count == 0;
}

static int known(const char *name) {
    for (int i = 0; i < function_count; i++) {
        if (strcmp(name, functions[i].name) == 0) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    long stride = 31, points = 1500000;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--quick") == 0) {
            stride = 4099;
            points = 60000;
        } else if (strcmp(argv[first], "--stride") == 0 && first + 1 < argc) {
            stride = atol(argv[++first]);
        } else if (strcmp(argv[first], "--points") == 0 && first + 1 < argc) {
            points = atol(argv[++first]);
        } else {
            fprintf(stderr, "usage: %s [--quick] [--stride N] [--points N] [FUNCTION...]\n", argv[0]);
            return 2;
        }
    }
    if (stride < 1 || points < 1) {
        fprintf(stderr, "%s: the stride and the number of points must be positive\n", argv[0]);
        return 2;
    }
    for (int i = first; i < argc; i++) {
        if (!known(argv[i])) {
            fprintf(stderr, "%s: no function is called '%s'\n", argv[0], argv[i]);
            return 2;
        }
    }

    int failures = 0;
    printf("| function | max ulp | from rounded | guide | points | worst at | |\n");
    printf("|---|---:|---:|---:|---:|---|---|\n");
    for (int i = 0; i < function_count; i++) {
        const struct function *f = &functions[i];
        if (!selected(f->name, argc - first, argv + first)) continue;
        struct measurement m = measure(f, stride, points);
        int good = within_bound(f, &m);
        failures += !good;
        printf("| `%s` | %.4f | %ld | ", f->name, m.worst_ulp, m.worst_distance);
        if (f->guide < 0) printf("–");
        else printf("%g", f->guide);
        printf(" | %ld | ", m.points);
        if (m.worst_ulp > 0) {
            printf("`");
            print_arguments(stdout, m.worst_at, f);
            printf("`");
        }
        printf(" | %s |\n", good ? "ok" : "FAILED");
        fflush(stdout);
        if (m.wrong_specials > 0) {
            fprintf(stderr, "%s: %ld wrong special results, the first at ", f->name, m.wrong_specials);
            print_arguments(stderr, m.special_at, f);
            fprintf(stderr, "\n");
        }
    }
    if (failures > 0) {
        fprintf(stderr, "%d functions exceed their bounds\n", failures);
    }
    return failures > 0;
}
