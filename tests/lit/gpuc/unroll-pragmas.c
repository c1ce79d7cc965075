// `#pragma unroll` and `#pragma GCC unroll` in front of loops of regions are steps of the plan; what cannot be said to any
// compiler is a warning, and what this one does otherwise is said by -Minfo.
// RUN: gpuc --emit=plan %s 2>/dev/null | FileCheck %s
// RUN: gpuc -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: gpuc -Minfo=loop -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: not gpuc -Werror=plan -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: gpuc run --device=sim %s 2>/dev/null | FileCheck %s --check-prefix=OUT
#include <stdio.h>
#define N 64

int main(void)
{
    static float a[N][N], b[N], c[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (float)((i + j) % 3);
    // CHECK: kernel main:[[@LINE+4]]
    // CHECK: unroll j by 4
    // CHECK-NEXT: unroll k by 5
    // CHECK-NEXT: unroll l by 6
    #pragma acc parallel loop gang vector copyin(a) copyout(b)
    for (int i = 0; i < N; i++) {
        float x = 1;
        // SAID-DAG: 4 rounds in one, as is asked
        #pragma unroll 4
        for (int j = 0; j < N; j++)
            x = x * 0.5f + a[i][j];
        // SAID-DAG: 5 rounds in one, as is asked
        #pragma GCC unroll 5
        for (int k = 0; k < N; k++)
            x = x * 0.5f + a[k][i];
        // All of them.
        #pragma unroll
        for (int l = 0; l < 6; l++)
            x = x * 0.5f + a[i][l];
        // WARN: warning[GPUC0027]: `unroll` is not followed: a factor of 0 leaves no loop
        // WARN-NEXT: unroll-pragmas.c:[[@LINE+2]]:9
        // ERROR: error[GPUC0027]: `unroll` is not followed: a factor of 0 leaves no loop
        #pragma unroll(0)
        for (int m = 0; m < N; m++)
            x = x * 0.5f + a[m][m];
        // WARN: `unroll` is not followed: the factor is no number that stands there
        #pragma unroll (N / 8)
        for (int o = 0; o < N; o++)
            x = x * 0.5f + a[o][o];
        b[i] = x;
    }
    // Iterations that threads share have no rounds to put into one.
    // WARN-NOT: no sequential loop
    // SAID-DAG: [[@LINE+4]], `unroll` is not followed: 'q' is no sequential loop by then
    #pragma acc parallel loop copyin(a) copyout(c)
    for (int p = 0; p < N; p++) {
        float sum = 0;
        #pragma unroll 4
        for (int q = 0; q < N; q++)
            sum += a[p][q];
        c[p] = sum;
    }
    double all = 0;
    for (int i = 0; i < N; i++)
        all += b[i] + c[i];
    // OUT: 4168
    printf("%.0f\n", all);
    return 0;
}
