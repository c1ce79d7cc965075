// Options that change what C means on the host only are refused where there are directives.
// RUN: not gpuc -c -m32 %s -o %t.o 2>&1 | FileCheck %s --check-prefix=M32
// M32: error[GPUC0014]: `-m32` is not supported together with directives: it changes the sizes of types
// M32-NEXT: meaning-options.c:[[@LINE+16]]:1
// M32: help: compile this file without it, or move the directives to a file of their own
// RUN: not gpuc -c -mms-bitfields %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: error[GPUC0014]: `-mms-bitfields` is not supported together with directives: it changes where members
// RUN: not gpuc -c -fexec-charset=IBM1047 %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CHARSET
// CHARSET: error[GPUC0014]: `-fexec-charset=IBM1047` is not supported
// RUN: not gpuc -c -fno-short-wchar -fshort-wchar %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WCHAR
// WCHAR: error[GPUC0014]: `-fshort-wchar` is not supported
// RUN: gpuc -c -fshort-wchar -fno-short-wchar -fexec-charset=UTF-8 %s -o %t.o
// RUN: not gpuc -c -D__SIZEOF_LONG__=4 %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error[GPUC0014]: the host compiler's types are not those of 64-bit Linux: `__SIZEOF_LONG__` is 4
// Files without directives may be compiled with them.
// RUN: gpuc -c -fshort-wchar -mms-bitfields -DNONE %s -o %t.o
void f(int *a)
{
#ifndef NONE
#pragma acc parallel loop copy(a[0:4])
#endif
    for (int i = 0; i < 4; i++)
        a[i] = i;
}
