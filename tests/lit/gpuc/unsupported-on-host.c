// A construct that cannot be compiled for the device is an error, or is left to the host where that is asked
// for: said by the compiler and by the program, with the device's data in its place.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: gpuc run --device=sim -foffload-unsupported=host %s 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not gpuc -foffload-unsupported=never -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MODE
#include <stdio.h>
#include <stdlib.h>

#define N 100

int main(void)
{
    int a[N], b[N], *p = a;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = 1;
    #pragma acc data copy(a) create(b)
    {
        #pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++) {
            a[i] = i;
            b[i] = 5;
        }
        for (int round = 0; round < 2; round++) {
            #pragma acc parallel loop
            for (int i = 0; i < N; i++) {
                int *q = realloc(NULL, sizeof *q);
                *q = 2 * a[i] + b[i];
                a[i] = *q;
                free(q);
            }
        }
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    printf("a %d %d b %d %d\n", a[1], a[N - 1], b[0], p[0]);
    return 0;
}
// ERROR: error{{.*}}: `realloc` cannot be called in device code
// LEFT: warning{{.*}}: `realloc` cannot be called in device code
// LEFT: this construct is left to the host, as -foffload-unsupported=host asks
// LEFT: warning: this `parallel loop` runs on the host
// LEFT-NOT: runs on the host
// LEFT: a 20 412 b 1 16
// MODE: unknown `-foffload-unsupported=never`
