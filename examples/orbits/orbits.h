/* Small bodies that move round two large ones, which stay where they are. */
#ifndef ORBITS_H
#define ORBITS_H

struct body {
    double x, y;   /* place */
    double u, v;   /* velocity */
};

/* forces.c: the acceleration at a place. */
#pragma acc routine seq
void acceleration(double x, double y, double *ax, double *ay);

/* forces.c: kinetic and potential energy for a mass of 1. */
#pragma acc routine seq
double energy(const struct body *body);

/* steps.c: moves a body on by a time, with an error of at most `tolerance` a unit of time; gives back how many steps that
 * took. Divides the time where a step is too long, by calling itself. */
#pragma acc routine seq
int advance(struct body *body, double time, double tolerance);

#endif
