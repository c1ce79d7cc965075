/* The 25-point operator of Andión et al. 2015, fig. 1a: every cell gathers four neighbours each
   way along each axis. The arrays carry a border of four cells.
   Usage: conv3d [size x [size y [size z]]] */
#include "check.h"
#include <float.h>
#include <stddef.h>
#include <string.h>

#define REACH 4

static void conv3d(int sizex, int sizey, int sizez, float coefx, float coefy, float coefz,
                   const float (*restrict input)[sizey + 2 * REACH][sizez + 2 * REACH],
                   float (*restrict output)[sizey + 2 * REACH][sizez + 2 * REACH])
{
    #pragma acc data copyin(input[0:sizex+2*REACH][0:sizey+2*REACH][0:sizez+2*REACH]) \
                     copy(output[0:sizex+2*REACH][0:sizey+2*REACH][0:sizez+2*REACH])
    #pragma acc parallel loop gang collapse(2)
    for (int i = REACH; i < sizex + REACH; i++) {
        for (int j = REACH; j < sizey + REACH; j++) {
            #pragma acc loop vector
            for (int k = REACH; k < sizez + REACH; k++) {
                float tempx = input[i][j][k] +
                              coefx * (input[i - 1][j][k] + input[i + 1][j][k] +
                                       input[i - 2][j][k] + input[i + 2][j][k] +
                                       input[i - 3][j][k] + input[i + 3][j][k] +
                                       input[i - 4][j][k] + input[i + 4][j][k]);
                float tempy = input[i][j][k] +
                              coefy * (input[i][j - 1][k] + input[i][j + 1][k] +
                                       input[i][j - 2][k] + input[i][j + 2][k] +
                                       input[i][j - 3][k] + input[i][j + 3][k] +
                                       input[i][j - 4][k] + input[i][j + 4][k]);
                float tempz = input[i][j][k] +
                              coefz * (input[i][j][k - 1] + input[i][j][k + 1] +
                                       input[i][j][k - 2] + input[i][j][k + 2] +
                                       input[i][j][k - 3] + input[i][j][k + 3] +
                                       input[i][j][k - 4] + input[i][j][k + 4]);
                output[i][j][k] = output[i][j][k] + tempx + tempy + tempz;
            }
        }
    }
}

/* The nine-point sum along one axis, whose neighbours are `stride` elements apart. */
static float axis_on_host(const float *centre, ptrdiff_t stride, float coef)
{
    return *centre + coef * (centre[-stride] + centre[stride] +
                             centre[-2 * stride] + centre[2 * stride] +
                             centre[-3 * stride] + centre[3 * stride] +
                             centre[-4 * stride] + centre[4 * stride]);
}

static void conv3d_on_host(int sizex, int sizey, int sizez, float coefx, float coefy, float coefz,
                           const float *input, float *output)
{
    ptrdiff_t row = sizez + 2 * REACH, plane = row * (sizey + 2 * REACH);
    for (int i = REACH; i < sizex + REACH; i++) {
        for (int j = REACH; j < sizey + REACH; j++) {
            for (int k = REACH; k < sizez + REACH; k++) {
                ptrdiff_t at = i * plane + j * row + k;
                output[at] = output[at] + axis_on_host(input + at, plane, coefx) +
                             axis_on_host(input + at, row, coefy) +
                             axis_on_host(input + at, 1, coefz);
            }
        }
    }
}

int main(int argc, char **argv)
{
    int sizex = size_argument(argc, argv, 1, 29);
    int sizey = size_argument(argc, argv, 2, 37);
    int sizez = size_argument(argc, argv, 3, 67);
    size_t count = (size_t)(sizex + 2 * REACH) * (sizey + 2 * REACH) * (sizez + 2 * REACH);
    float *input = allocate(count, sizeof *input);
    float *output = allocate(count, sizeof *output);
    float *expected = allocate(count, sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        input[i] = (float)sample(2 * (unsigned)i);
        expected[i] = (float)sample(2 * (unsigned)i + 1);
    }
    memcpy(output, expected, count * sizeof *output);

    double start = seconds();
    conv3d(sizex, sizey, sizez, 0.1f, 0.2f, 0.3f,
           (const float (*)[sizey + 2 * REACH][sizez + 2 * REACH])input,
           (float (*)[sizey + 2 * REACH][sizez + 2 * REACH])output);
    double device = seconds() - start;
    start = seconds();
    conv3d_on_host(sizex, sizey, sizez, 0.1f, 0.2f, 0.3f, input, expected);
    double host = seconds() - start;

    /* All terms are positive and the order of the sums is given: only the three products may be
       fused into the sums after them, which the three sums of the last line then carry. */
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%dx%d", sizex, sizey, sizez);
    int status = report("conv3d", sizes, "max relative error",
                        max_error_float(count, output, expected), 4 * FLT_EPSILON, device, host);
    free(input);
    free(output);
    free(expected);
    return status;
}
