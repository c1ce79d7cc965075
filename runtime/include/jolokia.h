/* JolokiaC++ (Patel 2014) in plain C: arrays that know their lengths, and the operators by which loops go through them, as
   macros. What they make is what `gpuc -fjolokia` makes of the language itself, so that tasks become the same kernels; every
   other C compiler takes a program with this header as it is. docs/jolokia.md of gpuc has a table of both. */
#ifndef GPUC_JOLOKIA_H
#define GPUC_JOLOKIA_H

#include <stdio.h>
#include <stdlib.h>

/* `gpuc -fjolokia` defines these as loops whose iterations are independent. */
#ifndef _for
#define _for for
#endif
#ifndef parallel_for
#define parallel_for for
#endif

/* What the device has of memory that ends; programs without gpuc have none. */
extern void __gpuc_auto_dead(const void *, unsigned long) __attribute__((__weak__));

static __inline__ __attribute__((__unused__)) void *jolokia_new_(unsigned long bytes, long a, long b, long c)
{
    /* The memory begins with its size; elements are aligned to a line of the caches. */
    unsigned long *memory = 0;
    if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(bytes, (unsigned long)a, &bytes) ||
        __builtin_mul_overflow(bytes, (unsigned long)b, &bytes) ||
        __builtin_mul_overflow(bytes, (unsigned long)c, &bytes) || bytes > (~0ul >> 1) - 64 ||
        !(memory = (unsigned long *)calloc(1, bytes + 64))) {
        perror("an array of JolokiaC++");
        abort();
    }
    memory[0] = bytes;
    return (char *)memory + 64;
}

static __inline__ __attribute__((__unused__)) void jolokia_end_(void *array)
{
    char *first = *(char **)array;
    unsigned long *memory = (unsigned long *)(void *)(first - 64);
    if (__gpuc_auto_dead)
        __gpuc_auto_dead(first, memory[0]);
    free(memory);
}

#define JOLOKIA_UNUSED_ __attribute__((__unused__))
#define JOLOKIA_FIFTH_(a, b, c, d, e, ...) e

/* f64Array(A, rows, columns): a variable of a block, of up to three dimensions, 0 at first, which ends with the block. */
#define JOLOKIA_ARRAY_(type, ...) \
    JOLOKIA_FIFTH_(__VA_ARGS__, JOLOKIA_ARRAY3_, JOLOKIA_ARRAY2_, JOLOKIA_ARRAY1_, 0)(type, __VA_ARGS__)
#define JOLOKIA_ARRAY1_(type, A, a) JOLOKIA_MADE_(type, A, 1, a, 1, 1)
#define JOLOKIA_ARRAY2_(type, A, a, b) JOLOKIA_MADE_(type, A, 2, a, b, 1)
#define JOLOKIA_ARRAY3_(type, A, a, b, c) JOLOKIA_MADE_(type, A, 3, a, b, c)
#define JOLOKIA_MADE_(type, A, dimensions, a, b, c) \
    int __##A##_dimension JOLOKIA_UNUSED_ = dimensions; \
    long __##A##_length0 JOLOKIA_UNUSED_ = (a), __##A##_length1 JOLOKIA_UNUSED_ = (b), \
         __##A##_length2 JOLOKIA_UNUSED_ = (c); \
    type *A __attribute__((__cleanup__(jolokia_end_))) = \
        (type *)jolokia_new_(sizeof(type), __##A##_length0, __##A##_length1, __##A##_length2)

/* f64Reference(A): a parameter; `const f64Reference(A)` where the function only reads. array(A): its argument. */
#define JOLOKIA_REFERENCE_(type, A) \
    type *A, int __##A##_dimension JOLOKIA_UNUSED_, long __##A##_length0 JOLOKIA_UNUSED_, \
        long __##A##_length1 JOLOKIA_UNUSED_, long __##A##_length2 JOLOKIA_UNUSED_
#define array(A) A, __##A##_dimension, __##A##_length0, __##A##_length1, __##A##_length2

/* f64Alias(V, A): another name for the elements of `A`; f64Alias(V, A, i, j): for those from one on. */
#define JOLOKIA_ALIAS_(type, V, ...) JOLOKIA_LENGTHS_(V, __VA_ARGS__, 0); type *V = JOLOKIA_FROM_(__VA_ARGS__)
#define JOLOKIA_LENGTHS_(V, A, ...) \
    int __##V##_dimension JOLOKIA_UNUSED_ = __##A##_dimension; \
    long __##V##_length0 JOLOKIA_UNUSED_ = __##A##_length0, __##V##_length1 JOLOKIA_UNUSED_ = __##A##_length1, \
         __##V##_length2 JOLOKIA_UNUSED_ = __##A##_length2
#define JOLOKIA_FROM_(...) JOLOKIA_FIFTH_(__VA_ARGS__, &elem, &elem, &elem, JOLOKIA_SAME_, 0)(__VA_ARGS__)
#define JOLOKIA_SAME_(A) A

/* modify_array(V, 2, rows, columns, 1): other lengths for them. */
#define modify_array(V, dimensions, a, b, c) \
    ((void)(__##V##_dimension = (dimensions), __##V##_length0 = (a), __##V##_length1 = (b), __##V##_length2 = (c)))

/* dimension(A); length(A), of the first dimension; length(A, k), of dimension k from 0 on. */
#define dimension(A) (__##A##_dimension)
#define length(...) JOLOKIA_THIRD_(__VA_ARGS__, JOLOKIA_LENGTH2_, JOLOKIA_LENGTH1_, 0)(__VA_ARGS__)
#define JOLOKIA_THIRD_(a, b, c, ...) c
#define JOLOKIA_LENGTH1_(A) (__##A##_length0)
#define JOLOKIA_LENGTH2_(A, k) ((k) == 0 ? __##A##_length0 : (k) == 1 ? __##A##_length1 : __##A##_length2)

/* elem(A, i), elem(A, i, j), elem(A, i, j, k): an element; rows follow one another. elem(view): that of a view, which is an
   array with its subscripts in brackets, `(A, i, j)`, or what shift, stride and aview make of one. */
#define elem(...) \
    JOLOKIA_FIFTH_(__VA_ARGS__, JOLOKIA_ELEM3_, JOLOKIA_ELEM2_, JOLOKIA_ELEM1_, JOLOKIA_VIEWED_, 0)(__VA_ARGS__)
#define JOLOKIA_ELEM1_(A, i) A[i]
#define JOLOKIA_ELEM2_(A, i, j) A[(i) * __##A##_length1 + (j)]
#define JOLOKIA_ELEM3_(A, i, j, k) A[((i) * __##A##_length1 + (j)) * __##A##_length2 + (k)]
#define JOLOKIA_BARE_(...) __VA_ARGS__
#define JOLOKIA_VIEWED_(view) JOLOKIA_VIEWED1_(JOLOKIA_BARE_ view)
#define JOLOKIA_VIEWED1_(...) JOLOKIA_VIEWED2_(__VA_ARGS__)
#define JOLOKIA_VIEWED2_(...) \
    JOLOKIA_FIFTH_(__VA_ARGS__, JOLOKIA_ELEM3_, JOLOKIA_ELEM2_, JOLOKIA_ELEM1_, 0)(__VA_ARGS__)

/* shift((A, i, j), r, c), stride((A, i, j), r, c), shift((A, i), c), stride((A, i), c); within one another from the inside
   out: elem(shift(stride((A, i, j), 2, 3), 0, -4)) is elem(A, 2 * i, 3 * j - 4). */
#define shift(view, ...) JOLOKIA_APPLY_(JOLOKIA_SHIFT, JOLOKIA_BARE_ view, __VA_ARGS__)
#define stride(view, ...) JOLOKIA_APPLY_(JOLOKIA_STRIDE, JOLOKIA_BARE_ view, __VA_ARGS__)
/* Behind the array: a subscript and an amount, or two of each. */
#define JOLOKIA_APPLY_(...) JOLOKIA_APPLY1_(__VA_ARGS__)
#define JOLOKIA_APPLY1_(what, A, ...) JOLOKIA_FIFTH_(__VA_ARGS__, what##2_, 0, what##1_, 0)(A, __VA_ARGS__)
#define JOLOKIA_SHIFT1_(A, i, c) (A, (i) + (c))
#define JOLOKIA_SHIFT2_(A, i, j, r, c) (A, (i) + (r), (j) + (c))
#define JOLOKIA_STRIDE1_(A, i, c) (A, (i) * (c))
#define JOLOKIA_STRIDE2_(A, i, j, r, c) (A, (i) * (r), (j) * (c))

/* aview(A, N, i, row, k) is A[i * N + k], aview(A, N, i, column, k) is A[k * N + i], of a loop over k. */
#define aview(A, N, i, direction, k) JOLOKIA_AVIEW_##direction(A, N, i, k)
#define JOLOKIA_AVIEW_row(A, N, i, k) A[(i) * (N) + (k)]
#define JOLOKIA_AVIEW_column(A, N, i, k) A[(k) * (N) + (i)]

#define f32Array(...) JOLOKIA_ARRAY_(float, __VA_ARGS__)
#define f32Reference(...) JOLOKIA_REFERENCE_(float, __VA_ARGS__)
#define f32Alias(...) JOLOKIA_ALIAS_(float, __VA_ARGS__)
#define f64Array(...) JOLOKIA_ARRAY_(double, __VA_ARGS__)
#define f64Reference(...) JOLOKIA_REFERENCE_(double, __VA_ARGS__)
#define f64Alias(...) JOLOKIA_ALIAS_(double, __VA_ARGS__)
#define i8Array(...) JOLOKIA_ARRAY_(signed char, __VA_ARGS__)
#define i8Reference(...) JOLOKIA_REFERENCE_(signed char, __VA_ARGS__)
#define i8Alias(...) JOLOKIA_ALIAS_(signed char, __VA_ARGS__)
#define i16Array(...) JOLOKIA_ARRAY_(short, __VA_ARGS__)
#define i16Reference(...) JOLOKIA_REFERENCE_(short, __VA_ARGS__)
#define i16Alias(...) JOLOKIA_ALIAS_(short, __VA_ARGS__)
#define i32Array(...) JOLOKIA_ARRAY_(int, __VA_ARGS__)
#define i32Reference(...) JOLOKIA_REFERENCE_(int, __VA_ARGS__)
#define i32Alias(...) JOLOKIA_ALIAS_(int, __VA_ARGS__)
#define i64Array(...) JOLOKIA_ARRAY_(long, __VA_ARGS__)
#define i64Reference(...) JOLOKIA_REFERENCE_(long, __VA_ARGS__)
#define i64Alias(...) JOLOKIA_ALIAS_(long, __VA_ARGS__)
#define u8Array(...) JOLOKIA_ARRAY_(unsigned char, __VA_ARGS__)
#define u8Reference(...) JOLOKIA_REFERENCE_(unsigned char, __VA_ARGS__)
#define u8Alias(...) JOLOKIA_ALIAS_(unsigned char, __VA_ARGS__)
#define u16Array(...) JOLOKIA_ARRAY_(unsigned short, __VA_ARGS__)
#define u16Reference(...) JOLOKIA_REFERENCE_(unsigned short, __VA_ARGS__)
#define u16Alias(...) JOLOKIA_ALIAS_(unsigned short, __VA_ARGS__)
#define u32Array(...) JOLOKIA_ARRAY_(unsigned int, __VA_ARGS__)
#define u32Reference(...) JOLOKIA_REFERENCE_(unsigned int, __VA_ARGS__)
#define u32Alias(...) JOLOKIA_ALIAS_(unsigned int, __VA_ARGS__)
#define u64Array(...) JOLOKIA_ARRAY_(unsigned long, __VA_ARGS__)
#define u64Reference(...) JOLOKIA_REFERENCE_(unsigned long, __VA_ARGS__)
#define u64Alias(...) JOLOKIA_ALIAS_(unsigned long, __VA_ARGS__)

#endif
