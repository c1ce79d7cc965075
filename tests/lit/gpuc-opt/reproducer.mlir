// A pass that fails leaves a file with the module and the passes that show the failure.
// RUN: gpuc --emit=affine -DVECTOR=2048 -DWORKERS=1 tests/lit/bad/large-launch.c -o %t.affine
// RUN: not gpuc-opt --gpuc-parallel --mlir-pass-pipeline-crash-reproducer=%t.repro %t.affine 2>&1 \
// RUN:   | FileCheck %s
// CHECK: error: 1 workers of vector length 2048
// CHECK: error: failures have been detected while processing an MLIR pass pipeline (map):
// CHECK-SAME: reproducer generated at `{{.*}}reproducer.repro`
// RUN: cat %t.repro | FileCheck %s --check-prefix=REPRODUCER
// REPRODUCER: offload.region
// REPRODUCER: mlir_reproducer
// REPRODUCER-NEXT: pipeline: "builtin.module({{.*}}map
// RUN: not gpuc-opt --gpuc-parallel %t.repro 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: 1 workers of vector length 2048
module {}
