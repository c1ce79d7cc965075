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

void declared(int n, float c[restrict n][n], float a[restrict n][n], float b[restrict n][n])
{
    #pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop
        for (int j = 0; j < n; j++) {
            float sum = 0;
            #pragma acc loop reduction(+:sum)
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}
// CHECK-LABEL: declared:
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
