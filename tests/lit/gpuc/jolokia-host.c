// RUN: gpuc -fjolokia -Wall -Wextra -Werror %s -o %t
// RUN: %t | FileCheck %s
// RUN: gpuc -fjolokia --emit=host-c %s -o - | FileCheck %s --check-prefix=LINES
/* A file of JolokiaC++ without a task is the host's, in C. */
#include <stdio.h>

static double total(f64Array &A)
{
    double sum = 0;
    for (int i = 0; i < A.length; i++)
        sum += A(i);
    return sum;
}

int main(void)
{
    f64Array A(3), B(3);
    A = 2;
    B = A * A + 1;
    printf("%g at line %d\n", total(B), __LINE__);
    return 0;
}

// CHECK: 15 at line 20
// LINES: double *A, int __A_dimension {{.*}}, long __A_length0 {{.*}}, long __A_length1 {{.*}}, long __A_length2
// LINES: __cleanup__(__jolokia_release)
