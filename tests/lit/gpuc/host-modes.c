// What the host compiler does alone, and `-S`, `-v` and `-x`, which are not that.
// RUN: gpuc -S %s -o %t.s
// RUN: cat %t.s | FileCheck %s --check-prefix=ASSEMBLY
// ASSEMBLY-DAG: __gpuc_run_words
// ASSEMBLY-DAG: .entry
// RUN: gpuc -E %s | FileCheck %s --check-prefix=TEXT
// TEXT: printf("openacc " "202211" ": %d
// RUN: gpuc -v -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=VERBOSE
// VERBOSE: -fpreprocessed
// RUN: cat %s > %t.inc
// RUN: gpuc -x c %t.inc -x none -o %t
// RUN: env GPUC_DEVICE=sim %t 2>&1 | FileCheck %s
// CHECK: gpuc: device 0: sim
// CHECK: openacc 202211: 3
// RUN: gpuc -c -x c++ %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CPP
// CPP: warning[GPUC0020]: `tests/lit/gpuc/host-modes.c` is C++: nothing in it is offloaded
#ifdef __cplusplus
extern "C"
#endif
int printf(const char *, ...);
#define TEXT(x) "openacc " #x ": %d\n"
#define EXPANDED(x) TEXT(x)
int main(void)
{
    int a[4];
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++)
        a[i] = i;
    return printf(EXPANDED(_OPENACC), a[3]) < 0;
}
