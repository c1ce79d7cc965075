// The options by which mlir-opt prints otherwise; what they print is compared with mlir-opt's output.
// RUN: gpuc-opt --mlir-print-unique-ssa-ids %s | FileCheck %s --check-prefix=UNIQUE
// RUN: gpuc-opt --mlir-print-local-scope %s | FileCheck %s --check-prefix=LOCAL
// RUN: gpuc-opt --mlir-print-skip-regions %s | FileCheck %s --check-prefix=SKIP
// RUN: gpuc-opt --mlir-print-skip-regions --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: gpuc-opt --mlir-elide-elementsattrs-if-larger=2 --verify-roundtrip --mlir-disable-threading %s | FileCheck %s --check-prefix=ELIDE
// RUN: gpuc-opt --print-op-stats -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: gpuc-opt --print-op-stats=json=true -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: gpuc-opt --strip-debuginfo --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=STRIP
// RUN: gpuc-opt --mlir-print-ir-after=cse --mlir-print-ir-module-scope --pass-pipeline='builtin.module(func.func(cse))' -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=SCOPE
// RUN: not gpuc-opt --no-implicit-module %s 2>&1 | FileCheck %s --check-prefix=SINGLE

#map = affine_map<(d0) -> (d0 + 1)>
memref.global "private" constant @four : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global "private" constant @two : memref<2xi32> = dense<[1, 2]>
memref.global "private" constant @same : memref<4xi32> = dense<7>
func.func @f(%a: index, %c: i1) -> index {
  %0 = affine.apply #map(%a)
  %1 = scf.if %c -> index {
    %2 = arith.addi %0, %a : index
    scf.yield %2 : index
  } else {
    %2 = arith.subi %0, %a : index
    scf.yield %2 : index
  }
  return %1 : index
}
func.func @g(%a: index) -> index {
  %0 = arith.addi %a, %a : index
  return %0 : index
}

// As upstream gives them: the last region comes first.
// UNIQUE: #map = affine_map<(d0) -> (d0 + 1)>
// UNIQUE: func.func @f(%arg1: index, %arg2: i1)
// UNIQUE: %1 = affine.apply #map(%arg1)
// UNIQUE: %2 = scf.if %arg2
// UNIQUE-NEXT: %4 = arith.addi %1, %arg1
// UNIQUE: %3 = arith.subi %1, %arg1
// UNIQUE: func.func @g(%arg0: index)
// UNIQUE-NEXT: %0 = arith.addi %arg0, %arg0

// LOCAL-NOT: #map
// LOCAL: affine.apply affine_map<(d0) -> (d0 + 1)>(%arg0)

// SKIP: {{^}}module {...}{{$}}
// GENERIC: {{^}}"builtin.module"() ({...}) : () -> (){{$}}

// ELIDE: @four : memref<4xi32> = dense_resource<__elided__>{{$}}
// ELIDE: @two : memref<2xi32> = dense<[1, 2]>{{$}}
// ELIDE: @same : memref<4xi32> = dense<7>{{$}}

// STATS: {{^}}Operations encountered:
// STATS-NEXT: {{^}}-----------------------
// STATS-NEXT: {{^}}   affine.apply  , 1{{$}}
// STATS-NEXT: {{^}}    arith.addi   , 2{{$}}
// STATS-NEXT: {{^}}    arith.subi   , 1{{$}}
// STATS-NEXT: {{^}}  builtin.module , 1{{$}}
// STATS-NEXT: {{^}}     func.func   , 2{{$}}

// JSON: {{^}}{
// JSON-NEXT: {{^}}  "affine.apply" : 1,
// JSON: {{^}}  "scf.yield" : 2
// JSON-NEXT: {{^}}}

// STRIP: func.func @f(%arg0: index loc(unknown), %arg1: i1 loc(unknown)) -> index {
// STRIP-NEXT: affine.apply {{.*}} loc(unknown)
// STRIP-NOT: .mlir

// SCOPE: IR Dump After CSE (cse) ('func.func' operation: @f)
// SCOPE-NEXT: #map
// SCOPE-NEXT: module {
// SCOPE: IR Dump After CSE (cse) ('func.func' operation: @g)
// SCOPE-NEXT: #map
// SCOPE-NEXT: module {

// SINGLE: source must contain a single top-level operation, found: 5

