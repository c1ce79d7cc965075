// Programs that offload load the driver of the GPU; `-static` is for those that do not.
// RUN: not gpuc -static %s -o %t 2>&1 | FileCheck %s
// RUN: gpuc -c %s -o %t.o
// RUN: not gpuc -static %t.o -o %t 2>&1 | FileCheck %s
// CHECK: error[GPUC0016]: `-static` cannot link a program that offloads: it loads the driver of the GPU when it runs
// CHECK: help: leave it out
// RUN: gpuc -static -DNONE %s -o %t.none
// RUN: %t.none | FileCheck %s --check-prefix=RAN
// RAN: ran
int printf(const char *, ...);
int main(void)
{
    int a[4] = {0};
#ifndef NONE
    #pragma acc parallel loop
#endif
    for (int i = 0; i < 4; i++)
        a[i] = 0;
    printf("ran\n");
    return a[3];
}
