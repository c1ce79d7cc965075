/* How a body moves on. */
#include "orbits.h"
#include <math.h>

static double square(double x)
{
    return fabs(x) * fabs(x);
}

/* One step of Störmer and Verlet's. */
static struct body step(struct body b, double h)
{
    double ax, ay;
    acceleration(b.x, b.y, &ax, &ay);
    b.u += 0.5 * h * ax;
    b.v += 0.5 * h * ay;
    b.x += h * b.u;
    b.y += h * b.v;
    acceleration(b.x, b.y, &ax, &ay);
    b.u += 0.5 * h * ax;
    b.v += 0.5 * h * ay;
    return b;
}

int advance(struct body *body, double time, double tolerance)
{
    struct body once = step(*body, time);
    struct body twice = step(step(*body, 0.5 * time), 0.5 * time);
    double error = sqrt(square(once.x - twice.x) + square(once.y - twice.y));
    if (error <= tolerance * time || time < 1e-4) {
        *body = twice;
        return 1;
    }
    int steps = advance(body, 0.5 * time, tolerance);
    return steps + advance(body, 0.5 * time, tolerance);
}
