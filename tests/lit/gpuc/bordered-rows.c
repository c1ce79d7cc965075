// The length of a row with a border is one number in addresses: `m + 2` is not multiplied out into a product for each part.
// RUN: gpuc --emit=ptx %s -o - | FileCheck %s

// CHECK: .entry average
// CHECK: add.s32 %[[LENGTH:r[0-9]+]], %r1, 2;
// CHECK: mul.wide.s32 {{.*}}, %[[LENGTH]], %r
// CHECK-NOT: mul.lo
// CHECK: ld.global.nc
// CHECK: mul.wide.s32 {{.*}}, %[[LENGTH]], 8;
void average(int n, int m, const float (*restrict in)[m + 2], float (*restrict out)[m + 2])
{
#pragma acc parallel loop collapse(2) copyin(in[0:n+2]) copyout(out[0:n+2])
    for (int i = 1; i < n + 1; i++)
        for (int j = 1; j < m + 1; j++)
            out[i][j] = 0.25f * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
}
