// Host code is the host compiler's, with what only it knows: vector builtins behind macros (without
// optimisation they are macros), types of other processors, glibc's transparent unions.
// RUN: gpuc -O0 -march=sapphirerapids -c %s -o %t.o
// RUN: gpuc -O2 -march=sapphirerapids -c %s -o %t.o
// RUN: gpuc -O0 -DBASE %s -o %t
// RUN: env GPUC_DEVICE=sim %t 2>&1 | FileCheck %s
// CHECK: gpuc: device 0: sim
// CHECK: 3 2 1 0, 1 5
// RUN: not gpuc -O0 -DINSIDE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error[GPUC0005]: the value of this expression is known to the host compiler alone
#define _GNU_SOURCE
#include <immintrin.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

typedef union { int *i; float *f; } number __attribute__((__transparent_union__));
static int first(number n) { return *n.i; }

#ifndef BASE
static _Float16 twice(_Float16 x) { return x * 2; }
int last(__m512 v) { return (int)_mm512_roundscale_ps(v, 1)[15] + (int)twice(1); }
#endif

int main(void)
{
    float a[4];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; i++) {
        a[i] = i;
#ifdef INSIDE
        a[i] += __builtin_ia32_rdtsc_of_the_future(i);
#endif
    }
    __m128 v = _mm_loadu_ps(a);
    v = _mm_shuffle_ps(v, v, _MM_SHUFFLE(0, 1, 2, 3));
    _mm_storeu_ps(a, v);
    __m128i w = _mm_slli_si128(_mm_set1_epi16(5), 2);
    struct sockaddr_in address = {0};
    int one = 1, refused = bind(-1, &address, sizeof address) < 0;
    printf("%g %g %g %g, %d %d\n", a[0], a[1], a[2], a[3], first(&one) & refused,
           _mm_extract_epi16(w, 3));
    return first((number)&one) - 1;
}
