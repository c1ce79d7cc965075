// A folder among the inputs is named as one, where gcc's linker speaks of its format; to `-c` it is a file for the linker, which gcc passes over.
// RUN: not gpuc %S 2>&1 | FileCheck %s
// CHECK: error[GPUC0019]: cannot read `{{.*}}`: it is a directory
// RUN: gpuc -c %S 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: linker input file unused
int one;
