// A walk over planes is among the plans that a search looks at, where the compiler has none of its own; in place of the iterations of
// a thread that it takes, which stay for smaller grids.
// RUN: gpuc --arch=sm_90 --emit=plan %s | FileCheck %s --check-prefix=OWN
// RUN: gpuc --arch=sm_90 --search --sizes=n=200 --emit=plan %s | FileCheck %s
// RUN: gpuc run --device=sim --arch=sm_90 --search --sizes=n=70 %s 2>/dev/null | FileCheck %s --check-prefix=RESULT
