// The output is never written over an input, however the two are named.
// RUN: cat %s > %t.c
// RUN: not gpuc %t.c -o %t.c 2>&1 | FileCheck %s
// RUN: not gpuc -c %t.c -o %t.c 2>&1 | FileCheck %s
// RUN: not gpuc --emit=source %t.c -o %t.c 2>&1 | FileCheck %s
// RUN: not gpuc -c tests/lit/gpuc/output-is-input.c -o tests/lit/../lit/gpuc/output-is-input.c 2>&1 | FileCheck %s
// RUN: not gpuc -c -MD -MF %t.c %t.c -o %t.o 2>&1 | FileCheck %s
// CHECK: error[GPUC0015]: input file `{{.*}}output-is-input.c` is the same as the output file
// RUN: cat %t.c | FileCheck %s --check-prefix=KEPT
// KEPT: int main(void) { return 0; }
int main(void) { return 0; }
