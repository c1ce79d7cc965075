// A grid that may be too large for one launch is started in parts, by loops of the host: where one part is all, it is the whole grid.
// RUN: gpuc --arch=sm_90 --emit=forecast --sizes=n=256 %s | FileCheck %s
// CHECK: kernel add_L[[#]]_kernel {{.*}} chosen launches 1 blocks 65536 threads 256
void add(int n, float (*restrict a)[n][n], float (*restrict b)[n][n])
{
    #pragma acc parallel loop collapse(3) copy(a[0:n], b[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] += b[i][j][k];
}
