// Options that change what C means on the host only are refused where there are directives.
// RUN: not gpuc -c -m32 %s -o %t.o 2>&1 | FileCheck %s --check-prefix=M32
// M32: error: `-m32` cannot be used with directives: it changes the sizes of types
// M32-NEXT: meaning-options.c:[[@LINE+14]]:1
// M32: help: compile this file without it, or move the directives to a file of their own
// RUN: not gpuc -c -malign-double %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ALIGN
// ALIGN: error: `-malign-double` cannot be used with directives: it changes where members
// RUN: not gpuc -c -fno-short-wchar -fshort-wchar %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WCHAR
// WCHAR: error: `-fshort-wchar` cannot be used
// RUN: gpuc -c -fshort-wchar -fno-short-wchar -fexec-charset=UTF-8 %s -o %t.o
// RUN: not gpuc -c -D__SIZEOF_LONG__=4 %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error: the host compiler's types are not those of 64-bit Linux: `__SIZEOF_LONG__` is 4
// Files without directives may be compiled with them.
// RUN: gpuc -c -fshort-wchar -malign-double -DNONE %s -o %t.o
void f(int *a)
{
#ifndef NONE
#pragma acc parallel loop copy(a[0:4])
#endif
    for (int i = 0; i < 4; i++)
        a[i] = i;
}
