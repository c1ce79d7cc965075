// Sums of floating-point numbers that no clause gives to anybody: shared by lanes, or in the order of the program.
// RUN: gpuc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: gpuc -Minfo -c -fno-associative-math %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: gpuc -Minfo -c -fno-associative-math -fassociative-math %s -o %t.o 2>&1 | FileCheck %s

void rows(int m, int n, const float a[restrict m][n], float *restrict y, int *restrict z)
{
    #pragma acc parallel loop copyin(a[0:m][0:n]) copyout(y[0:m])
    for (int i = 0; i < m; i++) {
        float sum = 0;
        // CHECK: [[# @LINE - 2 ]], Rows shared: threads by 256 from 128 rounds of {{[0-9]+}} rows at most, else lanes by 32 from 128 rounds, else lanes by 8 from 16 rounds
        // CHECK: Generating implicit reduction(+)
        // ORDER-NOT: Rows shared
        // ORDER-NOT: implicit reduction
        for (int j = 0; j < n; j++)
            sum += a[i][j];
        y[i] = sum;
    }

    // Whole numbers have no order to keep, and a clause gives leave.
    // ORDER: [[# @LINE + 2 ]], Rows shared
    #pragma acc parallel loop copyin(a[0:m][0:n]) copyout(z[0:m])
    for (int i = 0; i < m; i++) {
        int count = 0;
        // ORDER: Generating implicit reduction(+)
        for (int j = 0; j < n; j++)
            count += a[i][j] > 0;
        z[i] = count;
    }

    float total = 0;
    // ORDER: Generating reduction(+:total)
    #pragma acc parallel loop reduction(+:total) copyin(y[0:m])
    for (int i = 0; i < m; i++)
        total += y[i];
    y[0] = total;

    // CHECK: Generating implicit reduction(+:all)
    // ORDER: Order of the sum kept for all prevents parallelization
    float all = 0;
    #pragma acc kernels copyin(y[0:m])
    for (int i = 0; i < m; i++)
        all += y[i];
    y[0] += all;
}
