// What one array of a block has taken of its memory for longer rows, another has not: its elements are exchanged, and both stay there.
// RUN: gpuc --arch=sm_90 -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc profile --device=sim --arch=sm_90 %s 2>&1 | FileCheck %s --check-prefix=RAN
// CHECK: Array s in memory of the block with rows longer by 1
// CHECK: Array t in memory of the block with the elements of rows exchanged by their number
// RAN: 48128 bytes shared
// RAN-NOT: bank conflicts
// RAN: sum 1267060
#include <stdio.h>

static int a[64][64], out[40][64];

int main(void)
{
    int s[64][64], t[64][64], u[3776], sum = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            a[i][j] = i % 5 + j % 7;
    #pragma acc parallel loop gang private(s, t, u) vector_length(64) copyin(a) copyout(out)
    for (int i = 0; i < 40; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 64; j++) {
            for (int k = 0; k < 64; k++) {
                s[k][j] = a[k][j];
                t[k][j] = a[k][63 - j] + i;
            }
            for (int k = 0; k < 59; k++)
                u[k * 64 + j] = a[j][k] - i;
        }
        #pragma acc loop vector
        for (int j = 0; j < 64; j++) {
            int all = 0;
            for (int k = 0; k < 64; k++)
                all += s[j][k] * (k + 1) - t[j][63 - k];
            for (int k = 0; k < 59; k++)
                all += u[k * 64 + 63 - j];
            out[i][j] = all;
        }
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 64; j++)
            sum += out[i][j] % 1000 * (j % 3);
    printf("sum %d\n", sum);
    return 0;
}
