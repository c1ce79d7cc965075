/* Inputs to measure over: special values, values near where functions change, and random ones. */
#ifndef GPUC_DEVMATH_ACCURACY_INPUTS_H
#define GPUC_DEVMATH_ACCURACY_INPUTS_H

#include "functions.h"

/* Zeros, infinities, NaNs, the ends of the subnormals and normals, and simple numbers. */
extern const double special_values[];
extern const int special_count;

/* Values where some function overflows, underflows or changes its method; both signs count. */
extern const double boundary_values[];
extern const int boundary_count;

/* Starts the random sequence again, so that each function sees the same inputs in any order. */
void inputs_restart(void);

/* The `index`th input of a unary double function. */
double unary_input(const struct function *function, long index);

/* The `index`th pair of inputs, of float or double range as the function takes. */
void binary_input(const struct function *function, long index, double *x, double *y);

/* The `index`th triple, the third often near minus the product of the first two. */
void ternary_input(const struct function *function, long index, double *x, double *y, double *z);

#endif
