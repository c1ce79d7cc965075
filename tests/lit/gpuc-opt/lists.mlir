// What there is to choose from.
// RUN: gpuc-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: Available Dialects:
// DIALECTS-NEXT: builtin
// DIALECTS: affine
// DIALECTS: ptx
// RUN: gpuc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// PASSES-DAG: --canonicalize {{ *}}Fold
// PASSES-DAG: --cse
// PASSES-DAG: --mem2reg
// PASSES-DAG: --gpuc-lower
// PASSES-DAG: {{^ +}}kernels-only {{.*}} (bool, default false)
// PASSES-DAG: {{^ +}}nodes {{.*}} (integer, default 6000)
// PASSES-DAG: {{^ +}}arch {{.*}} (string, default sm_75)
// RUN: gpuc-opt --dump-pass-pipeline --canonicalize --cse %s 2>&1 | FileCheck %s
// CHECK: Pass Manager with 2 passes:
// CHECK-NEXT: builtin.module(canonicalize{{.*}},cse)
module {}
