// What a header says of one function in an attribute of another is warned of, though nothing uses the other one.
// RUN: not gpuc -Wno-small-region -Wall -Werror -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: fclose{{.*}}mismatched
#include <stdio.h>
#include <stdlib.h>

int third(void)
{
    int a[64];
    #pragma acc parallel loop
    for (int i = 0; i < 64; i++)
        a[i] = i * 3;
    return a[3];
}

void leave(void)
{
    void *p = malloc(3);
    fclose(p);
}
