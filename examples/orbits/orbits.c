/* Bodies that move round two masses: a program of several files (see Makefile).
 *
 * The kernel calls `advance` of steps.c, which calls itself and `acceleration` of forces.c. What it computes is
 * computed by the host, too; both do the same operations, so that only contractions and math functions differ, whose
 * effect a few orbits multiply: places may differ by 1e-3.
 */
#include "orbits.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct body start(int i, int n)
{
    double angle = 6.283185307179586 * i / n;
    struct body body = { 2.5 * cos(angle), 2.5 * sin(angle), -0.7 * sin(angle), 0.7 * cos(angle) };
    return body;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 37;
    double time = 0.25, tolerance = 1e-6;
    struct body *bodies = malloc((n + 1) * sizeof *bodies);
    int *steps = malloc((n + 1) * sizeof *steps), wrong = 0;
    double before = 0, after = 0;
    for (int i = 0; i < n; i++) {
        bodies[i] = start(i, n);
        before += energy(&bodies[i]);
    }
    #pragma acc data copy(bodies[0:n]) copyout(steps[0:n])
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++) {
            steps[i] = 0;
            for (int t = 0; t < 8; t++)
                steps[i] += advance(&bodies[i], time, tolerance);
        }
        #pragma acc parallel loop reduction(+: after)
        for (int i = 0; i < n; i++)
            after += energy(&bodies[i]);
    }
    for (int i = 0; i < n; i++) {
        struct body body = start(i, n);
        for (int t = 0; t < 8; t++)
            advance(&body, time, tolerance);
        wrong += !(fabs(body.x - bodies[i].x) < 1e-3 && fabs(body.y - bodies[i].y) < 1e-3) || steps[i] < 8;
    }
    wrong += !(fabs(after - before) <= 1e-3 * (n + 1));
    printf("%d bodies, %d wrong\n", n, wrong);
    free(bodies);
    free(steps);
    return wrong != 0;
}
