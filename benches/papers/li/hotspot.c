/* Steps of a thermal simulation of a chip, two a round, after Rodinia's hotspot, of Li et al. 2016.  Usage: hotspot [n] [rounds] */
#include "../../../examples/check.h"

static void hotspot(int n, int rounds, const float *restrict power, float *restrict now,
                    float *restrict next)
{
    #pragma acc kernels copyin(power[0:n*n]) copy(now[0:n*n], next[0:n*n])
    for (int t = 0; t < rounds; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                float here = now[i * n + j];
                float down = now[(i + 1) * n + j] + now[(i - 1) * n + j] - 2.0f * here;
                float along = now[i * n + j + 1] + now[i * n + j - 1] - 2.0f * here;
                next[i * n + j] = here + 0.25f * (power[i * n + j] + 0.5f * down + 0.5f * along
                                                + 0.125f * (0.5f - here));
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                float here = next[i * n + j];
                float down = next[(i + 1) * n + j] + next[(i - 1) * n + j] - 2.0f * here;
                float along = next[i * n + j + 1] + next[i * n + j - 1] - 2.0f * here;
                now[i * n + j] = here + 0.25f * (power[i * n + j] + 0.5f * down + 0.5f * along
                                                + 0.125f * (0.5f - here));
            }
    }
}

static void step(int n, const float *power, const double *from, double *to)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            size_t at = (size_t)i * n + j;
            double here = from[at];
            to[at] = here + 0.25 * (power[at] + 0.5 * (from[at + n] + from[at - n] - 2 * here)
                                    + 0.5 * (from[at + 1] + from[at - 1] - 2 * here)
                                    + 0.125 * (0.5 - here));
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 301);
    int rounds = size_argument(argc, argv, 2, 17);
    size_t count = (size_t)n * n;
    float *power = allocate(count, sizeof *power);
    float *now = allocate(count, sizeof *now);
    float *next = allocate(count, sizeof *next);
    double *before = allocate(count, sizeof *before);
    double *behind = allocate(count, sizeof *behind);
    for (size_t i = 0; i < count; i++) {
        power[i] = (float)sample(2 * (unsigned)i);
        before[i] = now[i] = 1.0f + (float)sample(2 * (unsigned)i + 1);
        behind[i] = next[i] = now[i];
    }
    hotspot(n, rounds, power, now, next);
    for (int t = 0; t < rounds; t++) {
        step(n, power, before, behind);
        step(n, power, behind, before);
    }
    double worst = 0;
    for (size_t at = 0; at < count; at++) {
        worst = fmax(worst, relative_error(now[at], before[at]));
        worst = fmax(worst, relative_error(next[at], behind[at]));
    }
    printf("hotspot %d, %d steps: relative error %.1e\n", n, 2 * rounds, worst);
    free(power);
    free(now);
    free(next);
    free(before);
    free(behind);
    return !(worst <= 1e-4);
}
