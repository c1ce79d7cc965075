/* The image of one frequency after another, of MRI reconstruction (OMRIQ), of Hayashi et al. 2019.  Usage: omriq [voxels [samples]] */
#include "../../../examples/check.h"
#include "forms.h"

/* A sample of the frequency domain, its coordinates in turns. */
struct sample {
    float x, y, z, magnitude;
};

static void omriq(int voxels, int samples, const float *restrict x, const float *restrict y, const float *restrict z,
                  const struct sample *restrict k, float *restrict real, float *restrict imaginary)
{
    DEVICE_LOOP(copyin(x[0:voxels], y[0:voxels], z[0:voxels], k[0:samples]) copyout(real[0:voxels], imaginary[0:voxels]),
                map(to: x[0:voxels], y[0:voxels], z[0:voxels], k[0:samples]) map(from: real[0:voxels], imaginary[0:voxels]))
    for (int i = 0; i < voxels; i++) {
        float re = 0, im = 0;
        for (int s = 0; s < samples; s++) {
            float phase = 6.2831853f * (k[s].x * x[i] + k[s].y * y[i] + k[s].z * z[i]);
            re += k[s].magnitude * cosf(phase);
            im += k[s].magnitude * sinf(phase);
        }
        real[i] = re;
        imaginary[i] = im;
    }
}

int main(int argc, char **argv)
{
    int voxels = size_argument(argc, argv, 1, 301);
    int samples = size_argument(argc, argv, 2, 67);
    float *x = allocate(voxels, sizeof *x), *y = allocate(voxels, sizeof *y), *z = allocate(voxels, sizeof *z);
    float *real = allocate(voxels, sizeof *real), *imaginary = allocate(voxels, sizeof *imaginary);
    struct sample *k = allocate(samples, sizeof *k);
    for (int i = 0; i < voxels; i++) {
        x[i] = (float)sample(3 * (unsigned)i);
        y[i] = (float)sample(3 * (unsigned)i + 1);
        z[i] = (float)sample(3 * (unsigned)i + 2);
    }
    for (int s = 0; s < samples; s++) {
        unsigned at = 4 * (unsigned)s;
        k[s] = (struct sample){(float)sample(at), (float)sample(at + 1), (float)sample(at + 2), (float)sample(at + 3)};
    }
    omriq(voxels, samples, x, y, z, k, real, imaginary);
    double worst = 0;
    for (int i = 0; i < voxels; i++) {
        double re = 0, im = 0;
        for (int s = 0; s < samples; s++) {
            double phase = 6.2831853f * ((double)k[s].x * x[i] + (double)k[s].y * y[i] + (double)k[s].z * z[i]);
            re += k[s].magnitude * cos(phase);
            im += k[s].magnitude * sin(phase);
        }
        worst = fmax(worst, fmax(fabs(real[i] - re), fabs(imaginary[i] - im)) / (samples > 0 ? samples : 1));
    }
    printf("omriq %d %d: error %.1e of a sample\n", voxels, samples, worst);
    free(x);
    free(y);
    free(z);
    free(k);
    free(real);
    free(imaginary);
    return !(worst <= 1e-5);
}
