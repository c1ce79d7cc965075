/* What pulls at a body. */
#include "orbits.h"
#include <math.h>

/* Another file has a function of this name, too. */
static double square(double x)
{
    return x * x;
}

void acceleration(double x, double y, double *ax, double *ay)
{
    *ax = *ay = 0;
    for (int i = 0; i < 2; i++) {
        const double m = i == 0 ? 1.0 : 0.3, at = i == 0 ? -0.5 : 0.7;
        double d2 = square(x - at) + square(y) + 1e-4;
        double pull = m / (d2 * sqrt(d2));
        *ax -= pull * (x - at);
        *ay -= pull * y;
    }
}

double energy(const struct body *body)
{
    double sum = 0.5 * (square(body->u) + square(body->v));
    for (int i = 0; i < 2; i++) {
        const double m = i == 0 ? 1.0 : 0.3, at = i == 0 ? -0.5 : 0.7;
        sum -= m / sqrt(square(body->x - at) + square(body->y) + 1e-4);
    }
    return sum;
}
