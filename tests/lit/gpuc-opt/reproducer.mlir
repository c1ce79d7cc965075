// A pass that fails leaves a file with the module and the passes that show the failure.
// RUN: not gpuc-opt --gpuc-parallel --mlir-pass-pipeline-crash-reproducer=%t.repro %s 2>&1 | FileCheck %s
// CHECK: error: 1 worker of vector length 2048
// CHECK: error: failures have been detected while processing an MLIR pass pipeline (map):
// CHECK-SAME: reproducer generated at `{{.*}}reproducer.repro`
// RUN: cat %t.repro | FileCheck %s --check-prefix=REPRODUCER
// REPRODUCER: offload.region
// REPRODUCER: mlir_reproducer
// REPRODUCER-NEXT: pipeline: "builtin.module({{.*}}map
// RUN: not gpuc-opt --gpuc-parallel %t.repro 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: 1 worker of vector length 2048
func.func @f(%n: index, %a: memref<?xf32> {offload.name = "a", offload.map = "copy"}) {
  offload.region parallel {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %x = affine.load %a[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %a[%i] : memref<?xf32>
    } {mapping = [#offload.map<thread_x(2048), strided>]}
  }
  return
}
