// Inputs that are not C are the host compiler's, alone and beside C.
// RUN: cc -S -DOTHER %s -o %t.other.s
// RUN: gpuc -c %t.other.s -o %t.other.o
// RUN: gpuc %s %t.other.o -o %t.linked
// RUN: %t.linked | FileCheck %s
// RUN: gpuc run --device=host %s %t.other.s | FileCheck %s
// CHECK: other: 42
// RUN: not gpuc -c %s %t.other.s -o %t.o 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: cannot use `-o` with `-c` and several source files
// RUN: not env GPUC_CC=no/such/cc gpuc -c %t.cpp -o %t.o 2>&1 | FileCheck %s --check-prefix=CPP
// CPP: warning[GPUC0020]: `{{.*}}inputs.cpp` is C++: nothing in it is offloaded
// CPP: error[GPUC0021]: cannot run the host compiler `no/such/cc`
#ifdef OTHER
int other(void) { return 42; }
#else
int printf(const char *, ...);
int other(void);
int main(void)
{
    printf("other: %d\n", other());
    return 0;
}
#endif
