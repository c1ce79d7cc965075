// A remark stands under the function whose text it is on, in whichever file that is.
// RUN: gpuc -Minfo=accel -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: second (tests/lit/gpuc/feedback-functions.h):
// CHECK-NEXT: {{^ +}}6, Generating copy(a[0:4])
// CHECK-NEXT: {{^ +}}Region too small to pay: its 8 operations take the host 2 ns, and a launch takes longer [GPUC0031]
// CHECK-NEXT: {{^ +}}Generating GPU code
// CHECK-NEXT: #pragma acc loop
// CHECK-NEXT: first:
// CHECK-NEXT: [[@LINE+8]], Generating copy(a[0:4])
#include "feedback-functions.h"




void first(int *a)
{
    #pragma acc parallel loop copy(a[0:4])
    for (int i = 0; i < 4; i++)
        a[i] = i;
}
