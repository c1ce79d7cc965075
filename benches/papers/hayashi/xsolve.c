/* The first part of the x sweep of the scalar pentadiagonal solver SP, of Hayashi et al. 2019: eigenvalues along each line, then the
   factors of its five diagonals.  Usage: xsolve [x [y [z]]]
   The sweep gathers along i, and leaves the factors so that j is the fastest. */
#include "../../../examples/check.h"

/* Cells of each axis are 0 to x + 1, y + 1, z + 1; factors of the inner ones. */
static void xsolve(int x, int y, int z, const float rho[restrict z + 2][y + 2][x + 2],
                   const float us[restrict z + 2][y + 2][x + 2], float cv[restrict z + 2][y + 2][x + 2],
                   float rhon[restrict z + 2][y + 2][x + 2], float lhs[restrict 5][z + 2][x + 2][y + 2])
{
    const float c = 0.4f, dx2 = 0.75f, dx5 = 0.6f, con43 = 1.3333f, step1 = 0.015f, step2 = 0.03f;
#if defined COMBINED
    #pragma omp target teams distribute \
        map(to: rho[0:z+2][0:y+2][0:x+2], us[0:z+2][0:y+2][0:x+2]) \
        map(tofrom: cv[0:z+2][0:y+2][0:x+2], rhon[0:z+2][0:y+2][0:x+2], lhs[0:5][0:z+2][0:x+2][0:y+2])
#elif defined SEPARATE
    #pragma omp target map(to: rho[0:z+2][0:y+2][0:x+2], us[0:z+2][0:y+2][0:x+2]) \
        map(tofrom: cv[0:z+2][0:y+2][0:x+2], rhon[0:z+2][0:y+2][0:x+2], lhs[0:5][0:z+2][0:x+2][0:y+2])
    #pragma omp teams
    #pragma omp distribute
#elif defined TOLD
    #pragma acc parallel loop gang copyin(rho[0:z+2][0:y+2][0:x+2], us[0:z+2][0:y+2][0:x+2]) \
                copy(cv[0:z+2][0:y+2][0:x+2], rhon[0:z+2][0:y+2][0:x+2], lhs[0:5][0:z+2][0:x+2][0:y+2])
#else
    #pragma acc kernels copyin(rho[0:z+2][0:y+2][0:x+2], us[0:z+2][0:y+2][0:x+2]) \
                        copy(cv[0:z+2][0:y+2][0:x+2], rhon[0:z+2][0:y+2][0:x+2], lhs[0:5][0:z+2][0:x+2][0:y+2])
#endif
    for (int k = 1; k <= z; k++)
#if defined COMBINED || defined SEPARATE
        #pragma omp parallel for
#elif defined TOLD
        #pragma acc loop vector
#endif
        for (int j = 1; j <= y; j++) {
            for (int i = 0; i <= x + 1; i++) {
                float ru = c * rho[k][j][i];
                cv[k][j][i] = us[k][j][i];
                rhon[k][j][i] = fmaxf(fmaxf(dx2 + con43 * ru, dx5 + 1.4f * ru), fmaxf(0.75f + ru, 0.75f));
            }
            for (int i = 1; i <= x; i++) {
                lhs[0][k][i][j] = 0.0f;
                lhs[1][k][i][j] = -step2 * cv[k][j][i - 1] - step1 * rhon[k][j][i - 1];
                lhs[2][k][i][j] = 1.0f + 2.0f * step1 * rhon[k][j][i];
                lhs[3][k][i][j] = step2 * cv[k][j][i + 1] - step1 * rhon[k][j][i + 1];
                lhs[4][k][i][j] = 0.0f;
            }
        }
}

/* The eigenvalue of a cell. */
static double rhon_of(double rho)
{
    double ru = 0.4f * rho;
    return fmax(fmax(0.75f + 1.3333f * ru, 0.6f + 1.4f * ru), fmax(0.75f + ru, 0.75f));
}

int main(int argc, char **argv)
{
    int x = size_argument(argc, argv, 1, 37);
    int y = size_argument(argc, argv, 2, 45);
    int z = size_argument(argc, argv, 3, 7);
    size_t line = (size_t)x + 2, plane = line * (y + 2), count = plane * (z + 2);
    float *rho = allocate(count, sizeof *rho), *us = allocate(count, sizeof *us);
    float *cv = allocate(count, sizeof *cv), *rhon = allocate(count, sizeof *rhon);
    float *lhs = allocate(5 * count, sizeof *lhs);
    for (size_t at = 0; at < count; at++) {
        rho[at] = (float)sample(2 * (unsigned)at);
        us[at] = (float)sample(2 * (unsigned)at + 1);
    }
    xsolve(x, y, z, (void *)rho, (void *)us, (void *)cv, (void *)rhon, (void *)lhs);
    double worst = 0;
    for (int k = 1; k <= z; k++)
        for (int j = 1; j <= y; j++)
            for (int i = 1; i <= x; i++) {
                size_t at = k * plane + j * line + i;
                double want[5] = {0, -0.03f * us[at - 1] - 0.015f * rhon_of(rho[at - 1]), 1 + 0.03f * rhon_of(rho[at]),
                                  0.03f * us[at + 1] - 0.015f * rhon_of(rho[at + 1]), 0};
                for (int row = 0; row < 5; row++) {
                    float got = lhs[row * count + k * plane + i * (size_t)(y + 2) + j];
                    worst = fmax(worst, fabs(got - want[row]));
                }
            }
    printf("xsolve %dx%dx%d: error %.1e\n", x, y, z, worst);
    free(rho);
    free(us);
    free(cv);
    free(rhon);
    free(lhs);
    return !(worst <= 1e-6);
}
