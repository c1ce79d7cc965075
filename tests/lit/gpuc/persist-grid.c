// Which loops persist in a grid whose blocks wait for each other, and which not.
// RUN: gpuc --arch=sm_90 --emit=plan %s -o - | FileCheck %s
// RUN: gpuc --arch=sm_90 -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: gpuc --arch=sm_90 --emit=host-c %s -o - | FileCheck %s --check-prefix=HOST
// RUN: gpuc --arch=sm_90 --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX

// Small ones in one block, and up to some size in a grid; the host asks for both, and for a device that runs all blocks at once.
// CHECK: kernel field
// CHECK: persist t over {{[0-9]+}} where {{[0-9]+}} iterations
// CHECK-NEXT: persist t over {{[0-9]+}} in 132 blocks where {{[0-9]+}} iterations
// CHECK-NEXT: launches t
// SAID: Loop persists in one block of {{[0-9]+}} threads, where
// SAID: Loop persists in 132 blocks of {{[0-9]+}} threads, which wait for each other, where its launches would have {{[0-9]+}} iterations at most on average
// SAID: Loop runs on the host: 2 launches a step
// HOST: long [[BLOCKS:v[0-9]+]];
// HOST: __gpuc_resident_grid(&__gpuc_image_0, site, "[[KERNEL:field[a-zA-Z0-9_]*]]", {{[0-9]+}}, 132, &[[BLOCKS]]);
// HOST: __gpuc_run_words(&__gpuc_image_0, site, "[[KERNEL]]", "l,1,1,{{[0-9]+}},1,1,0,!
// One kernel, in which a barrier stands behind each of two phases; what other blocks have written comes by plain loads.
// PTX: .entry [[KERNEL:field_L[0-9]+_2_kernel]](
// PTX-NOT: ld.global.nc
// PTX: atom.release.gpu.global.add.u32
// PTX: ld.acquire.gpu.global.u32
// PTX: atom.release.gpu.global.add.u32
// PTX: ld.acquire.gpu.global.u32
// PTX-NOT: atom.release
// PTX: .entry
void field(int steps, int n, double (*restrict e)[n], double (*restrict h)[n])
{
    #pragma acc kernels copy(e[0:n][0:n], h[0:n][0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                e[i][j] = e[i][j] - 0.5 * (h[i][j] - h[i][j - 1]) + t;
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                h[i][j] = h[i][j] - 0.7 * (e[i + 1][j + 1] - e[i][j]);
    }
}

// Sizes are known: one version for devices that run so many blocks at once, and launches for others.
static double p[300][300], q[300][300];
// CHECK: kernel known
// CHECK: persist t over {{[0-9]+}} in 132 blocks{{$}}
// CHECK-NEXT: launches t
// SAID: Loop persists in 132 blocks of {{[0-9]+}} threads, which wait for each other{{$}}
void known(void)
{
    #pragma acc kernels copy(p, q)
    for (int t = 0; t < 50; t++) {
        for (int i = 1; i < 299; i++)
            for (int j = 1; j < 299; j++)
                p[i][j] = p[i][j] + 0.5 * (q[i][j + 1] - q[i][j - 1]) + t;
        for (int i = 1; i < 299; i++)
            for (int j = 1; j < 299; j++)
                q[i][j] = q[i][j] + 0.5 * (p[i + 1][j] - p[i - 1][j]);
    }
}

// Phases that touch different arrays need no barrier between them: two for a round of three.
// CHECK: kernel apart
// CHECK: persist t over {{[0-9]+}} in 132 blocks
// PTX: .entry apart_L{{[0-9]+}}_2_kernel(
// PTX: atom.release.gpu.global.add.u32
// PTX: atom.release.gpu.global.add.u32
// PTX-NOT: atom.release
// PTX: .entry
void apart(int steps, int n, int m, float *restrict a, float *restrict b, float *restrict c)
{
    #pragma acc kernels copy(a[0:n], b[0:m], c[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n - 1; i++)
            a[i] = a[i] * 0.5f + c[i + 1] + t;
        for (int i = 0; i < m; i++)
            b[i] = b[i] * 0.25f + c[m - 1 - i];
        for (int i = 1; i < m; i++)
            c[i] = a[i - 1] + b[m - i];
    }
}

// What the threads of a block share inside of rows that blocks take; parallel loops deeper than that stay in launches.
// CHECK: kernel shortest
// CHECK-NOT: over {{[0-9]+}} where
// CHECK: persist k over {{[0-9]+}} in 132 blocks
// CHECK: launches k
void shortest(int n, double way[n][n])
{
    #pragma acc kernels copy(way[0:n][0:n])
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                way[i][j] = way[i][j] < way[i][k] + way[k][j] ? way[i][j] : way[i][k] + way[k][j];
}

// Two sweeps in turns, of which a launch may execute several: no barrier of a grid is as cheap.
// CHECK: kernel swept
// CHECK-NOT: blocks where
// CHECK: launches t
// CHECK-NEXT: block t
void swept(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < 50; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i] + 1;
    }
}
