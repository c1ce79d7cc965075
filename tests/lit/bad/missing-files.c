// Files that are not there.
// RUN: not gpuc %t.none.c -o %t 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: error[GPUC0019]: cannot read `{{.*}}missing-files.none.c`: there is no such file
// RUN: not gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=HEADER
// HEADER: error: {{.*}}nothing.h
// HEADER-NEXT: --> tests/lit/bad/missing-files.c:[[@LINE+1]]:10
#include "nothing.h"
// RUN: not gpuc %t.none.o -o %t 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: missing-files.none.o
// RUN: not gpuc -c %t.none.s -o %t.o 2>&1 | FileCheck %s --check-prefix=OBJECT-C
// OBJECT-C: missing-files.none.s
// RUN: not gpuc --emit=ptx examples/saxpy.c -o %t.folder/a.ptx 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write `{{.*}}.folder/a.ptx`: No such file or directory
// RUN: not gpuc-opt %t.none.mlir 2>&1 | FileCheck %s --check-prefix=IR
// IR: error: cannot open input file '{{.*}}.none.mlir'
