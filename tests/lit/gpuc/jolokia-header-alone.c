// RUN: gpuc -fjolokia -c %s -o /dev/null
// RUN: gpuc -fjolokia -E %s -o - | FileCheck %s
// The compiler brings the header for files without a directive, too.
#include <jolokia.h>

double first(const f64Reference(A))
{
    // CHECK: return
    return elem(A, 0);
}
