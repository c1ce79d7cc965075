/* The 25-point operator of three dimensions of Andión et al. 2015 (CONV3D).  Usage: conv3d [x [y [z]]]
   Arrays have a border of four cells, which the paper's sizes leave out. With -fhmpp -DHMPP=1 to 3, the paper's variants in OpenHMPP. */
#include "../../../examples/check.h"
#include <stddef.h>

#define REACH 4

#if !defined HMPP
static void conv3d(int x, int y, int z, float cx, float cy, float cz,
                   const float in[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH],
                   float out[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH])
{
    #pragma acc kernels copyin(in[0:x+2*REACH][0:y+2*REACH][0:z+2*REACH]) \
                        copy(out[0:x+2*REACH][0:y+2*REACH][0:z+2*REACH])
    for (int i = REACH; i < x + REACH; i++)
        for (int j = REACH; j < y + REACH; j++)
            for (int k = REACH; k < z + REACH; k++) {
                float here = in[i][j][k];
                float planes = here + cx * (in[i - 1][j][k] + in[i + 1][j][k] + in[i - 2][j][k] + in[i + 2][j][k]
                                            + in[i - 3][j][k] + in[i + 3][j][k] + in[i - 4][j][k] + in[i + 4][j][k]);
                float rows = here + cy * (in[i][j - 1][k] + in[i][j + 1][k] + in[i][j - 2][k] + in[i][j + 2][k]
                                          + in[i][j - 3][k] + in[i][j + 3][k] + in[i][j - 4][k] + in[i][j + 4][k]);
                float columns = here + cz * (in[i][j][k - 1] + in[i][j][k + 1] + in[i][j][k - 2] + in[i][j][k + 2]
                                             + in[i][j][k - 3] + in[i][j][k + 3] + in[i][j][k - 4] + in[i][j][k + 4]);
                out[i][j][k] += planes + rows + columns;
            }
}
#elif HMPP == 2
/* A thread for each row and column, which keeps what it has read along the planes: nine of them, in registers. */
#pragma hmpp conv3d codelet, target=CUDA, args[in].io=in, args[out].io=inout
static void conv3d(int x, int y, int z, float cx, float cy, float cz,
                   const float in[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH],
                   float out[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH])
{
    #pragma hmppcg gridify(j, k), blocksize "64x4"
    for (int j = REACH; j < y + REACH; j++)
        for (int k = REACH; k < z + REACH; k++) {
            float a4, a3 = in[0][j][k], a2 = in[1][j][k], a1 = in[2][j][k], here = in[3][j][k];
            float b1 = in[4][j][k], b2 = in[5][j][k], b3 = in[6][j][k], b4 = in[7][j][k];
            #pragma hmppcg noParallel
            for (int i = REACH; i < x + REACH; i++) {
                a4 = a3;
                a3 = a2;
                a2 = a1;
                a1 = here;
                here = b1;
                b1 = b2;
                b2 = b3;
                b3 = b4;
                b4 = in[i + 4][j][k];
                float planes = here + cx * (a1 + b1 + a2 + b2 + a3 + b3 + a4 + b4);
                float rows = here + cy * (in[i][j - 1][k] + in[i][j + 1][k] + in[i][j - 2][k] + in[i][j + 2][k]
                                          + in[i][j - 3][k] + in[i][j + 3][k] + in[i][j - 4][k] + in[i][j + 4][k]);
                float columns = here + cz * (in[i][j][k - 1] + in[i][j][k + 1] + in[i][j][k - 2] + in[i][j][k + 2]
                                             + in[i][j][k - 3] + in[i][j][k + 3] + in[i][j][k - 4] + in[i][j][k + 4]);
                out[i][j][k] += planes + rows + columns;
            }
        }
}
#else
#pragma hmpp conv3d codelet, target=CUDA, args[in].io=in, args[out].io=inout
static void conv3d(int x, int y, int z, float cx, float cy, float cz,
                   const float in[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH],
                   float out[restrict x + 2 * REACH][y + 2 * REACH][z + 2 * REACH])
{
#if HMPP == 1
    /* The loop over planes stands innermost, so that neighbouring threads take neighbouring columns. */
    #pragma hmppcg permute j, k, i
    #pragma hmppcg gridify(j, k), blocksize "64x4"
#else
    /* What rows and columns read together lies in memory of the block: as far as the compiler finds that worth it. */
    #pragma hmppcg gridify(i, j, k), shared(in), blocksize "64x4"
#endif
    for (int i = REACH; i < x + REACH; i++)
        for (int j = REACH; j < y + REACH; j++)
            for (int k = REACH; k < z + REACH; k++) {
                float here = in[i][j][k];
                float planes = here + cx * (in[i - 1][j][k] + in[i + 1][j][k] + in[i - 2][j][k] + in[i + 2][j][k]
                                            + in[i - 3][j][k] + in[i + 3][j][k] + in[i - 4][j][k] + in[i + 4][j][k]);
                float rows = here + cy * (in[i][j - 1][k] + in[i][j + 1][k] + in[i][j - 2][k] + in[i][j + 2][k]
                                          + in[i][j - 3][k] + in[i][j + 3][k] + in[i][j - 4][k] + in[i][j + 4][k]);
                float columns = here + cz * (in[i][j][k - 1] + in[i][j][k + 1] + in[i][j][k - 2] + in[i][j][k + 2]
                                             + in[i][j][k - 3] + in[i][j][k + 3] + in[i][j][k - 4] + in[i][j][k + 4]);
                out[i][j][k] += planes + rows + columns;
            }
}
#endif

/* A cell and eight others along an axis, on which neighbours are `stride` cells apart. */
static double along(const float *cell, ptrdiff_t stride, double weight)
{
    double sum = 0;
    for (int reach = 1; reach <= REACH; reach++)
        sum += (double)cell[-reach * stride] + cell[reach * stride];
    return *cell + weight * sum;
}

int main(int argc, char **argv)
{
    int x = size_argument(argc, argv, 1, 19);
    int y = size_argument(argc, argv, 2, 21);
    int z = size_argument(argc, argv, 3, 45);
    ptrdiff_t row = z + 2 * REACH, plane = row * (y + 2 * REACH);
    size_t count = (size_t)plane * (x + 2 * REACH);
    float *in = allocate(count, sizeof *in);
    float *out = allocate(count, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        in[i] = (float)sample(2 * (unsigned)i);
        out[i] = (float)sample(2 * (unsigned)i + 1);
    }
    float cx = 0.25f, cy = 0.5f, cz = 0.125f;
#if defined HMPP
    #pragma hmpp conv3d callsite
#endif
    conv3d(x, y, z, cx, cy, cz, (void *)in, (void *)out);
    double worst = 0;
    for (int i = 0; i < x + 2 * REACH; i++)
        for (int j = 0; j < y + 2 * REACH; j++)
            for (int k = 0; k < z + 2 * REACH; k++) {
                ptrdiff_t at = i * plane + j * row + k;
                double want = (float)sample(2 * (unsigned)at + 1);
                int inside = i >= REACH && i < x + REACH && j >= REACH && j < y + REACH && k >= REACH
                             && k < z + REACH;
                if (inside)
                    want += along(in + at, plane, cx) + along(in + at, row, cy) + along(in + at, 1, cz);
                worst = fmax(worst, relative_error(out[at], want));
            }
    printf("conv3d %dx%dx%d: relative error %.1e\n", x, y, z, worst);
    free(in);
    free(out);
    return !(worst <= 1e-5);
}
