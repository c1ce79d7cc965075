// A product is tiled whatever the order of its loops: where a sequential loop stands round a parallel one, they change places, also
// under a loop that is parallel already; unless the innermost has too few iterations to be a dimension of the grid.
// RUN: gpuc -w -Minfo -c %s -o %t.o 2>&1 | FileCheck %s

void rows(int n, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n])
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double r = a[i][k];
            for (int j = 0; j < n; j++)
                c[i][j] += r * b[k][j];
        }
}
// CHECK-LABEL: rows:
// CHECK: Loop interchange produces reordered loop nest: 8,11,9
// CHECK: Loop tiled

void components(int n, double c[restrict n][3], const double *restrict a)
{
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int d = 0; d < 3; d++)
                c[i][d] += a[k] * d;
}
// CHECK-LABEL: components:
// CHECK-NOT: interchange
