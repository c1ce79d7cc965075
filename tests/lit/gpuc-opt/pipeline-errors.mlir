// Pipelines that cannot be read: a caret under the place.
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(cse,canonicalise))' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
//      NAME:error: MLIR Textual PassPipeline Parser:1:30: 'canonicalise' does not refer to a registered pass or pass pipeline; did you mean 'canonicalize'?
// NAME-NEXT:builtin.module(func.func(cse,canonicalise))
// NAME-NEXT:                             ^
// RUN: not gpuc-opt --pass-pipeline='builtin.module(func.func(cse' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPEN
// OPEN: 1:29: expected ',' or ')' in pass pipeline
// RUN: not gpuc-opt --pass-pipeline='builtin.module(canonicalize{round=2})' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// OPTION: no such option 'round' of 'canonicalize'
// RUN: not gpuc-opt --pass-pipeline='builtin.module(canonicalize{max-iterations=many})' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// VALUE: option 'max_iterations': 'many' is not an integer
// RUN: not gpuc-opt --csee %s 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: `--csee` is neither a flag nor a pass
// FLAG: help: did you mean `--cse`?
module {}
