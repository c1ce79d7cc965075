// `@FILE` stands for the arguments in FILE, and the file with directives is offloaded all the same.
// RUN: gpuc run --device=sim @tests/lit/gpuc/response-file.h 2>&1 | FileCheck %s
// CHECK: gpuc: device 0: sim
// CHECK: two words 6
// RUN: not gpuc @tests/lit/gpuc 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: the response file `tests/lit/gpuc` is a directory
#include <stdio.h>
int main(void)
{
    int a[4];
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        a[i] = FACTOR * i;
    printf("%s %d\n", TEXT, a[3]);
    return 0;
}
