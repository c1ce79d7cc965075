/* Bodies under their mutual gravity, an array of structures; every step reads all pairs.
   Usage: nbody [bodies [steps]] */
#include "check.h"
#include <float.h>
#include <string.h>

struct body {
    float x, y, z, mass;
    float vx, vy, vz;
};

/* Keeps the force of a close encounter finite. */
static const float softening = 0.01f, step = 0.001f;

static void simulate(int n, int steps, struct body *restrict bodies)
{
    #pragma acc data copy(bodies[0:n])
    for (int s = 0; s < steps; s++) {
        #pragma acc parallel loop gang vector
        for (int i = 0; i < n; i++) {
            float ax = 0.0f, ay = 0.0f, az = 0.0f;
            for (int j = 0; j < n; j++) {
                float dx = bodies[j].x - bodies[i].x;
                float dy = bodies[j].y - bodies[i].y;
                float dz = bodies[j].z - bodies[i].z;
                float square = dx * dx + dy * dy + dz * dz + softening;
                float pull = bodies[j].mass / (square * sqrtf(square));
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            bodies[i].vx += step * ax;
            bodies[i].vy += step * ay;
            bodies[i].vz += step * az;
        }
        #pragma acc parallel loop gang vector
        for (int i = 0; i < n; i++) {
            bodies[i].x += step * bodies[i].vx;
            bodies[i].y += step * bodies[i].vy;
            bodies[i].z += step * bodies[i].vz;
        }
    }
}

static void simulate_on_host(int n, int steps, struct body *bodies)
{
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            float ax = 0.0f, ay = 0.0f, az = 0.0f;
            for (int j = 0; j < n; j++) {
                float dx = bodies[j].x - bodies[i].x;
                float dy = bodies[j].y - bodies[i].y;
                float dz = bodies[j].z - bodies[i].z;
                float square = dx * dx + dy * dy + dz * dz + softening;
                float pull = bodies[j].mass / (square * sqrtf(square));
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            bodies[i].vx += step * ax;
            bodies[i].vy += step * ay;
            bodies[i].vz += step * az;
        }
        for (int i = 0; i < n; i++) {
            bodies[i].x += step * bodies[i].vx;
            bodies[i].y += step * bodies[i].vy;
            bodies[i].z += step * bodies[i].vz;
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 259);
    int steps = size_argument(argc, argv, 2, 5);
    struct body *bodies = allocate(n, sizeof *bodies);
    struct body *expected = allocate(n, sizeof *expected);
    for (int i = 0; i < n; i++) {
        bodies[i].x = (float)sample(4 * i);
        bodies[i].y = (float)sample(4 * i + 1);
        bodies[i].z = (float)sample(4 * i + 2);
        bodies[i].mass = (float)sample(4 * i + 3);
    }
    memcpy(expected, bodies, n * sizeof *bodies);

    double start = seconds();
    simulate(n, steps, bodies);
    double device = seconds() - start;
    start = seconds();
    simulate_on_host(n, steps, expected);
    double host = seconds() - start;

    /* Velocities are sums of n pulls that partly cancel: the error of one is measured against
       the largest of all, and grows with the number of terms and of steps. */
    double largest = FLT_MIN, off = 0.0;
    for (int i = 0; i < n; i++) {
        double got[3] = {bodies[i].vx, bodies[i].vy, bodies[i].vz};
        double want[3] = {expected[i].vx, expected[i].vy, expected[i].vz};
        for (int axis = 0; axis < 3; axis++) {
            largest = fmax(largest, fabs(want[axis]));
            off = fmax(off, isnan(got[axis]) ? INFINITY : fabs(got[axis] - want[axis]));
        }
    }
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d bodies, %d steps", n, steps);
    int status = report("nbody", sizes, "max error of the velocities", off / largest,
                        (n + 8.0) * FLT_EPSILON, device, host);
    free(bodies);
    free(expected);
    return status;
}
