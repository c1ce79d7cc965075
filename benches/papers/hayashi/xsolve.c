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
    #pragma acc kernels copyin(rho[0:z+2][0:y+2][0:x+2], us[0:z+2][0:y+2][0:x+2]) \
                        copy(cv[0:z+2][0:y+2][0:x+2], rhon[0:z+2][0:y+2][0:x+2], lhs[0:5][0:z+2][0:x+2][0:y+2])
    for (int k = 1; k <= z; k++)
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
int main(void) { return 0; }
