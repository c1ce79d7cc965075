// Locations taken from a printed snapshot, in place of the old ones and beside them; a pipeline behind -p; what
// --verify-diagnostics accepts is printed.
// RUN: gpuc-opt -p 'builtin.module(snapshot-op-locations{filename=%t})' --mlir-print-local-scope --mlir-print-debuginfo %s | FileCheck %s
// RUN: gpuc-opt --snapshot-op-locations='filename=%t tag=now' --mlir-print-local-scope --mlir-print-debuginfo %s | FileCheck --check-prefix=TAG %s
// RUN: gpuc-opt --verify-diagnostics %s | FileCheck --check-prefix=PRINTED %s
// RUN: not gpuc-opt --snapshot-op-locations %s 2>&1 | FileCheck --check-prefix=NAMELESS %s
// RUN: not gpuc-opt --snapshot-op-locations=filename=examples %s 2>&1 | FileCheck --check-prefix=FOLDER %s

// CHECK: func.func @f
// CHECK-NEXT: arith.addi {{.*}} loc("{{[^"]*}}":{{[0-9]+}}:{{[0-9]+}}
// CHECK-NEXT: return {{.*}} loc("{{[^"]*}}":{{[0-9]+}}:{{[0-9]+}}
// TAG: arith.addi {{.*}} loc(fused["here", "now"("{{[^"]*}}":{{[0-9]+}}:{{[0-9]+}}
// PRINTED: arith.addi
// NAMELESS: snapshot-op-locations needs the option 'filename'
// FOLDER: cannot write the snapshot `examples`
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("here")
  return %0 : i32
}
