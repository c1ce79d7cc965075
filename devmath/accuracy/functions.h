/* The functions under measurement: what they are compared with, and over which inputs. */
#ifndef GPUC_DEVMATH_ACCURACY_FUNCTIONS_H
#define GPUC_DEVMATH_ACCURACY_FUNCTIONS_H

typedef __float128 quad;

/* Where, besides the whole range of bit patterns, inputs are drawn. */
enum focus {
    FOCUS_RANGE,      /* |x| log-uniform and x uniform in [low, high] */
    FOCUS_HALF_PI,    /* also near multiples of pi/2 */
    FOCUS_ONE,        /* also near 1 and -1 */
    FOCUS_POWER,      /* pairs: |x| in [low, high], y so that the power neither over- nor underflows */
    FOCUS_PAIR,       /* pairs of like magnitude */
};

struct function {
    const char *name;
    /* The CUDA C++ programming guide's maximum error in ulp; negative where it gives none. */
    double guide;
    enum focus focus;
    double low, high;
    /* One of these is set. */
    float (*float_unary)(float);
    float (*float_binary)(float, float);
    float (*float_ternary)(float, float, float);
    double (*double_unary)(double);
    double (*double_binary)(double, double);
    double (*double_ternary)(double, double, double);
    /* The reference: in double for float functions, in quadruple for double functions. */
    double (*reference_unary)(double);
    double (*reference_binary)(double, double);
    float (*reference_ternary)(float, float, float);
    quad (*quad_unary)(quad);
    quad (*quad_binary)(quad, quad);
    double (*quad_ternary)(double, double, double);
};

extern const struct function functions[];
extern const int function_count;

#endif
