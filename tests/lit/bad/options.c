// Options that gpuc does not have, or that lack something.
// RUN: not gpuc 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no input files
// RUN: not gpuc %s -o 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: `-o` needs a value
// RUN: not gpuc --emti=ptx %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error[GPUC0013]: unknown option `--emti=ptx`
// OPTION: help: did you mean `--emit`?
// RUN: not gpuc --emit=ptxx %s 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error[GPUC0013]: unknown level `ptxx`
// LEVEL: help: did you mean `ptx`?
// RUN: not gpuc --arch=sm_9 -c %s 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error[GPUC0013]: unknown compute capability `sm_9`
// ARCH: help: known are {{.*}}sm_75, {{.*}}sm_120
// RUN: not gpuc run --device=gpu %s 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error[GPUC0013]: unknown device `gpu`
// DEVICE: help: devices are auto, cuda, sim and host
// RUN: not gpuc -c %s %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: cannot use `-o` with `-c` and several source files
int main(void) { return 0; }
