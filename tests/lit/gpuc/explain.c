// Messages have codes, and codes explanations.
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: error[GPUC0001]: `paralel` is not a directive of OpenACC
// RUN: gpuc --explain GPUC0001 | FileCheck %s --check-prefix=EXPLAINED
// RUN: gpuc --explain=gpuc0001 | FileCheck %s --check-prefix=EXPLAINED
// RUN: gpuc --explain unknown-directive | FileCheck %s --check-prefix=EXPLAINED
// EXPLAINED: GPUC0001: Unknown directive
// EXPLAINED: #pragma acc paralel loop
// RUN: not gpuc --explain GPUC9999 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: no message has the code `GPUC9999`
// RUN: not gpuc --explain unknown-directives 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: did you mean `unknown-directive`?
// RUN: gpuc -Minfo -DRIGHT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: dependence of a prevents parallelization [GPUC0010]
void f(int *a)
{
#ifndef RIGHT
    #pragma acc paralel loop
#else
    #pragma acc kernels copy(a[0:10])
#endif
    for (int i = 1; i < 10; i++)
        a[i] += a[i - 1];
}
