// A host compiler that is not there, or is none.
// RUN: not env GPUC_CC=no/such/cc gpuc %s -o %t 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not env GPUC_CC=no/such/cc gpuc --emit=ptx %s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[GPUC0021]: cannot run the C compiler `no/such/cc`: there is no such command
// MISSING: help: {{.*}}GPUC_CC
// RUN: not env GPUC_CC=no/such/cc gpuc a.o -o %t 2>&1 | FileCheck %s --check-prefix=LINKER
// LINKER: error[GPUC0021]: cannot run the host compiler `no/such/cc`
// LINKER: help: {{.*}}GPUC_CC
// RUN: not env GPUC_CC=false gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FAILING
// FAILING: error: `false -E` of `tests/lit/bad/missing-compiler.c` failed (exit status: 1)
#pragma acc routine seq
int main(void) { return 0; }
