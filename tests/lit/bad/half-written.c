// A compilation that fails leaves an old output as it was, and no new one.
// RUN: cat %s > %t.old
// RUN: not gpuc -c %s -o %t.old 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc --emit=ptx %s -o %t.old 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc --emit=host-c %s -o %t.old 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc %s -o %t.old 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error[GPUC0005]: calls through function pointers are not supported in device code
// ERROR-NEXT: half-written.c:[[@LINE+13]]:
// RUN: cat %t.old | FileCheck %s
// CHECK: A compilation that fails leaves an old output as it was
// RUN: not gpuc -c %s -o %t.new 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc %s -o %t.new 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not gpuc-opt %s -o %t.new 2>&1 | FileCheck %s --check-prefix=IR
// IR: error:
// RUN: not cc %t.new 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: {{[Nn]}}o such file
void fill(int n, float *a, float (*value)(int))
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] = value(i);
}
