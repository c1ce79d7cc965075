// Dependency files are those of the host compiler, with directives in the file and without.
// RUN: gpuc -c -MD -MF %t.d -DEMPTY %s -o %t.o
// RUN: cat %t.d | FileCheck %s --check-prefix=OBJECT
// RUN: gpuc -c -MMD %s -o %t.with.o
// RUN: cat %t.with.d | FileCheck %s --check-prefix=OBJECT
// OBJECT: {{/.*}}.o: tests/lit/gpuc/dependencies.c
// OBJECT: tests/lit/gpuc/dependencies.h
// RUN: gpuc -MMD -MP %s -o %t
// RUN: cat %t.d | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: {{/.*}}dependencies: tests/lit/gpuc/dependencies.c
// PROGRAM: tests/lit/gpuc/dependencies.h
// PROGRAM-NEXT: tests/lit/gpuc/dependencies.h:
// RUN: gpuc -c -MMD -MF - -MT one -MQ 'two$' %s -o %t.o | FileCheck %s --check-prefix=OUTPUT
// RUN: gpuc -c -Wp,-MMD,%t.wp.d -MT one -MQ 'two$' %s -o %t.o
// RUN: cat %t.wp.d | FileCheck %s --check-prefix=OUTPUT
// A file that several sources are to write is the last one's, as the host compiler's is.
// RUN: gpuc -Wp,-MMD,%t.wp.d tests/lit/gpuc/cache.c %s -o %t
// RUN: cat %t.wp.d | FileCheck %s --check-prefix=LAST
// LAST-NOT: cache
// LAST: dependencies.o: tests/lit/gpuc/dependencies.c
// OUTPUT: one two$$: tests/lit/gpuc/dependencies.c
// RUN: not gpuc -c -MF %t.d %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: to generate dependencies you must specify
#include "dependencies.h"
int a[4];
int main(void)
{
#ifndef EMPTY
    #pragma acc parallel loop
#endif
    for (int i = 0; i < 4; i++)
        a[i] = DEPENDED_ON;
    return a[3];
}
