/* A step of a thermal simulation of a chip, after Rodinia's hotspot, of Li et al. 2016.  Usage: hotspot [n] */
#include "../../../examples/check.h"

static void hotspot(int n, const float *restrict power, const float *restrict now,
                    float *restrict next)
{
    #pragma acc kernels copyin(power[0:n*n], now[0:n*n]) copy(next[0:n*n])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            float here = now[i * n + j];
            float down = now[(i + 1) * n + j] + now[(i - 1) * n + j] - 2.0f * here;
            float along = now[i * n + j + 1] + now[i * n + j - 1] - 2.0f * here;
            next[i * n + j] = here + 0.25f * (power[i * n + j] + 0.5f * down + 0.5f * along
                                              + 0.125f * (0.5f - here));
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 301);
    size_t count = (size_t)n * n;
    float *power = allocate(count, sizeof *power);
    float *now = allocate(count, sizeof *now);
    float *next = allocate(count, sizeof *next);
    for (size_t i = 0; i < count; i++) {
        power[i] = (float)sample(2 * (unsigned)i);
        now[i] = 1.0f + (float)sample(2 * (unsigned)i + 1);
    }
    hotspot(n, power, now, next);
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)i * n + j;
            double want = 0, here = now[at];
            if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
                want = here + 0.25 * (power[at] + 0.5 * (now[at + n] + now[at - n] - 2 * here)
                                      + 0.5 * (now[at + 1] + now[at - 1] - 2 * here)
                                      + 0.125 * (0.5 - here));
            worst = fmax(worst, relative_error(next[at], want));
        }
    printf("hotspot %d: relative error %.1e\n", n, worst);
    free(power);
    free(now);
    free(next);
    return !(worst <= 1e-5);
}
