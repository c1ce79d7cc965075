// What passes counted, as a list of all passes that count and as the pipeline.
// RUN: gpuc-opt --cse --canonicalize --affine-loop-tile --symbol-dce --cse --mlir-pass-statistics --mlir-pass-statistics-display=list %s 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: ===-------------------------------------------------------------------------===
// LIST-NEXT: {{^}}                         ... Pass statistics report ...
// LIST-NEXT: ===-------------------------------------------------------------------------===
// LIST-NEXT: {{^}}  CSE{{$}}
// LIST-NEXT: {{^}}    (S) 1 num-cse'd - Number of operations CSE'd
// LIST-NEXT: {{^}}    (S) 2 num-dce'd - Number of operations DCE'd
// LIST-NEXT: {{^}}  SymbolDCE{{$}}
// LIST-NEXT: {{^}}    (S) 1 num-dce'd - Number of symbols DCE'd
// RUN: gpuc-opt --cse --canonicalize --affine-loop-tile --symbol-dce --cse --mlir-pass-statistics %s 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: Pass statistics report
// PIPELINE: {{^}}CSE{{$}}
// PIPELINE-NEXT: {{^}}  (S) 1 num-cse'd
// PIPELINE-NEXT: {{^}}  (S) 2 num-dce'd
// PIPELINE-NEXT: {{^}}Canonicalizer{{$}}
// PIPELINE-NEXT: {{^}}'func.func' Pipeline{{$}}
// PIPELINE-NEXT: {{^}}  AffineLoopTile{{$}}
// PIPELINE-NEXT: {{^}}SymbolDCE{{$}}
// PIPELINE-NEXT: {{^}}  (S) 1 num-dce'd
// PIPELINE-NEXT: {{^}}CSE{{$}}
// PIPELINE-NEXT: {{^}}  (S) 0 num-cse'd
// What a pass of a nested pipeline counts on each function is added.
// RUN: gpuc-opt --pass-pipeline='builtin.module(func.func(test-stats-pass,test-stats-pass))' --mlir-pass-statistics %s 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: {{^}}'func.func' Pipeline
// NESTED-NEXT: {{^}}  TestStatisticPass
// NESTED-NEXT: {{^}}    (S) 9 num-ops  - Number of operations counted
// NESTED-NEXT: {{^}}    (S) 9 num-ops2 - Number of operations counted one more time
// NESTED-NEXT: {{^}}  TestStatisticPass
// NESTED-NEXT: {{^}}    (S) 9 num-ops
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.muli %a, %b : i32
  return %2 : i32
}
func.func private @g(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %a : i32
}
