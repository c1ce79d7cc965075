// Rows of known length are whole copies of 16 bytes or are not; what is left to a test at run time has the large tile twice.
// RUN: gpuc -Minfo=plan -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-LABEL: kernel known:
// CHECK: tile i by 128, j by 64, {{.*}} wide
// CHECK-NEXT: tile i by 64, j by 64
// CHECK-NOT: tile
void known(int n, double a[restrict][64], double b[restrict][64], double c[restrict][64])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// CHECK-LABEL: kernel odd:
// CHECK: tile i by 128, j by 64
// CHECK-NOT: wide
// CHECK-NEXT: tile i by 64, j by 64
// CHECK-NOT: tile
void odd(int n, double a[restrict][63], double b[restrict][63], double c[restrict][63])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// CHECK-LABEL: kernel open:
// CHECK: tile i by 128, j by 64, {{.*}} wide
// CHECK-NEXT: tile i by 128, j by 64
// CHECK-NEXT: tile i by 64, j by 64
void open(int n, double a[restrict][n], double b[restrict][n], double c[restrict][n])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}
