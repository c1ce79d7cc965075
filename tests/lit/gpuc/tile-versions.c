// Which versions of a product are worth their text: rows of known length are whole copies of 16 bytes or are not, and what is left to a
// test at run time has a large tile element by element, too; what arrays have no room for is left out.
// RUN: gpuc -Minfo=plan -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK-LABEL: kernel known:
// CHECK: tile i by 64, j by 64, k by 16, threads 8 by 8, wide
// CHECK-NEXT: tile i by 32, j by 32, k by 16, threads 8 by 4, weight
// CHECK-NEXT: tile i by 16, j by 16, k by 32, threads 2 by 1, weight
// CHECK-NEXT: map
void known(int n, double a[restrict][640], double b[restrict][640], double c[restrict][640])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// CHECK-LABEL: kernel odd:
// CHECK: tile i by 64, j by 32, k by 16, threads 8 by 4, weight
// CHECK-NEXT: tile i by 32, j by 32
// CHECK-NEXT: tile i by 16, j by 16
// CHECK-NEXT: map
void odd(int n, double a[restrict][641], double b[restrict][641], double c[restrict][641])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// CHECK-LABEL: kernel open:
// CHECK: tile i by 64, j by 64, k by 16, threads 8 by 8, wide
// CHECK-NEXT: tile i by 64, j by 32, k by 16, threads 8 by 4, weight
// CHECK-NEXT: tile i by 32, j by 32
// CHECK-NEXT: tile i by 16, j by 16
// CHECK-NEXT: map
void open(int n, double a[restrict][n], double b[restrict][n], double c[restrict][n])
{
    #pragma acc kernels copyin(a[0:n], b[0:n]) copy(c[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// 200 by 150 results are 108 blocks of 16 by 16, and 24 of 32 by 32.
// CHECK-LABEL: kernel small:
// CHECK-NOT: tile i by 64
// CHECK-NOT: tile i by 32
// CHECK: tile i by 16, j by 16
// CHECK-NEXT: map
void small(int n, double a[restrict][150], double b[restrict][150], double c[restrict][150])
{
    #pragma acc kernels copyin(a[0:200], b[0:150]) copy(c[0:200])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// CHECK-LABEL: kernel tiny:
// CHECK-NOT: tile
// CHECK: map
void tiny(int n, double a[restrict][50], double b[restrict][50], double c[restrict][50])
{
    #pragma acc kernels copyin(a[0:50], b[0:50]) copy(c[0:50])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}
