// Arrays that the threads of a gang share lie in memory of the block so that no two threads of a warp wait for one bank: by the
// compiler's choice (Li et al. 2016, fig. 4).
// RUN: gpuc --arch=sm_90 -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s --check-prefix=PLAN
// RUN: gpuc profile --device=sim --arch=sm_90 %s 2>&1 | FileCheck %s --check-prefix=RAN
// Nothing in the way: nothing said.
// SAID-NOT: Array rows in memory of the block
// SAID: Array tile in memory of the block with rows longer by 1: a warp's accesses take its banks 64 passes in place of 1056
// SAID: Array bodies in memory of the block with the members of its records apart: a warp's accesses take its banks
// SAID: Array soa in memory of the block laid out as (d1, d0): a warp's accesses take its banks
// PLAN: banks tile longer by 1
// PLAN: banks bodies members
// PLAN: banks soa as (d1, d0)
// RAN-NOT: bank conflicts
// RAN: tile 712272 bodies 1712 soa 3120 rows 2016
#include <stdio.h>

static int a[32][32], b[32];

static int turned(void)
{
    int sum = 0, tile[32][32], out[8][32];
    #pragma acc parallel loop gang private(tile) vector_length(32) copyin(a) copyout(out)
    for (int i = 0; i < 8; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            for (int k = 0; k < 32; k++)
                tile[k][j] = a[k][j];
        #pragma acc loop vector
        for (int j = 0; j < 32; j++) {
            int all = 0;
            for (int k = 0; k < 32; k++)
                all += tile[j][k] * (k + 1);
            out[i][j] = all;
        }
    }
    for (int j = 0; j < 32; j++)
        sum += out[7][j] * (j + 1);
    return sum;
}

struct body { float x, y, z, m; };

static int records(void)
{
    struct body bodies[32];
    int sum = 0, out[8][32];
    #pragma acc parallel loop gang private(bodies) vector_length(32) copyin(b) copyout(out)
    for (int i = 0; i < 8; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 32; j++) {
            bodies[j].x = b[j];
            bodies[j].m = i;
        }
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            out[i][j] = bodies[31 - j].x + bodies[j].m;
    }
    for (int j = 0; j < 32; j++)
        sum += out[7][j] + out[0][j] * 2;
    return sum;
}

static int members(void)
{
    float soa[40][2];
    int sum = 0, out[8][40];
    #pragma acc parallel loop gang private(soa) vector_length(64) copyin(b) copyout(out)
    for (int i = 0; i < 8; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 40; j++) {
            soa[j][0] = j;
            soa[j][1] = i;
        }
        #pragma acc loop vector
        for (int j = 0; j < 40; j++)
            out[i][j] = 4 * soa[39 - j][0] - soa[39 - j][1] * 0;
    }
    for (int j = 0; j < 40; j++)
        sum += out[7][j];
    return sum;
}

static int in_rows(void)
{
    int sum = 0, rows[32][32], out[8][32];
    #pragma acc parallel loop gang private(rows) vector_length(32) copyin(a) copyout(out)
    for (int i = 0; i < 8; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            rows[i][j] = b[j] * 4 + 1;
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            out[i][j] = rows[i][31 - j];
    }
    for (int j = 0; j < 32; j++)
        sum += out[7][j];
    return sum;
}

int main(void)
{
    for (int i = 0; i < 32; i++) {
        b[i] = i;
        for (int j = 0; j < 32; j++)
            a[i][j] = i % 4 + j % 3;
    }
    int tile = turned(), bodies = records(), soa = members(), rows = in_rows();
    printf("tile %d bodies %d soa %d rows %d\n", tile, bodies, soa, rows);
    return 0;
}
