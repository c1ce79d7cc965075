/* A scaled vector added to another (Saxpy), of Hayashi et al. 2019.  Usage: saxpy [n] */
#include "../../../examples/check.h"
#include "forms.h"

static void saxpy(int n, float a, const float *restrict x, const float *restrict y, float *restrict z)
{
    DEVICE_LOOP(copyin(x[0:n], y[0:n]) copyout(z[0:n]), map(to: x[0:n], y[0:n]) map(from: z[0:n]))
    for (int i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 20011);
    float *x = allocate(n, sizeof *x), *y = allocate(n, sizeof *y), *z = allocate(n, sizeof *z);
    for (int i = 0; i < n; i++) {
        x[i] = (float)sample(2 * (unsigned)i);
        y[i] = (float)sample(2 * (unsigned)i + 1);
    }
    saxpy(n, 1.5f, x, y, z);
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, relative_error(z[i], 1.5 * x[i] + y[i]));
    printf("saxpy %d: relative error %.1e\n", n, worst);
    free(x);
    free(y);
    free(z);
    return !(worst <= 1e-6);
}
