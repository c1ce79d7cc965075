// Atomic updates in what each gang repeats are each gang's, and lose nothing.
// RUN: gpuc check -w %s | FileCheck %s
// CHECK: 165 495 990
#include <stdio.h>

int main(void)
{
    int o = 0, p = 0, q = 0;
    #pragma acc parallel num_gangs(5) copy(o)
    {
        #pragma acc loop vector
        for (int j = 0; j < 33; j++) {
            #pragma acc atomic update
            o++;
        }
    }
    #pragma acc parallel num_gangs(5) copy(p)
    {
        #pragma acc loop seq
        for (int i = 0; i < 3; i++) {
            #pragma acc loop worker vector
            for (int j = 0; j < 33; j++) {
                #pragma acc atomic update
                p++;
            }
        }
    }
    #pragma acc parallel num_gangs(5) copy(q)
    {
        #pragma acc loop
        for (int i = 0; i < 30; i++) {
            #pragma acc loop vector
            for (int j = 0; j < 33; j++) {
                #pragma acc atomic update
                q++;
            }
        }
    }
    printf("%d %d %d\n", o, p, q);
    return 0;
}
