// What is wrong in a header has the way to it ahead, as GCC says it: of errors and warnings of ours, and of the compiler's.
// RUN: not gpuc -c -DWRONG %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: gpuc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not gpuc -c -DMISSING %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: gpuc -w -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// WRONG: In file included from tests/lit/gpuc/included-from.h:4,
// WRONG-NEXT: from tests/lit/gpuc/included-from.c:23:
// WRONG-NEXT: error[GPUC0001]: `paralel` is not a directive of OpenACC
// WRONG-NEXT: included-from-2.h:4:13
// WRONG-NOT: In file included
// WRONG: error[GPUC0001]: `lop` is not a directive of OpenACC
// SMALL: In file included from tests/lit/gpuc/included-from.h:4,
// SMALL-NEXT: from tests/lit/gpuc/included-from.c:
// SMALL-NEXT: warning[GPUC0031]
// SMALL-NEXT: included-from-2.h:6:
// MISSING: In file included from tests/lit/gpuc/included-from.h:4,
// MISSING-NEXT: from tests/lit/gpuc/included-from.c:
// MISSING-NEXT: error: no.h: No such file or directory
// QUIET-NOT: In file included
#define ONE 1
#include <stddef.h>

#include "included-from.h"
int g(int *a)
{
#ifdef WRONG
    #pragma acc lop
#endif
    return f(a) + ONE;
}
