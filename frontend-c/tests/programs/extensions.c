// GNU extensions and the parts of C23 in common use.
#include <stdio.h>
#include <stdarg.h>
#include <stddef.h>
#include <complex.h>
#include <stdbool.h>
typedef struct node { struct node *next; union { int i; float f; }; unsigned a:3, b:5; _Bool c:1; } node;
typedef float v4 __attribute__((vector_size(16)));
struct __attribute__((packed)) P { char c; int i; } ;
enum E : unsigned char { A, B = 3, C };
enum { BIG = 0x80000000, NEG = -1 };
static inline int sq(int x) { return x * x; }
int (*fp[3])(int) = { sq, [2] = sq };
int arr[] = { [5] = 1, 2, [1 ... 3] = 7 };
node list = { .next = 0, .f = 1.5f, .a = 2, 3 };
struct { int x, y; } pts[] = { {1,2}, 3, 4, { .y = 5 } };
char s[] = "abc" "def", t[2][4] = { "ab", {'c'} };
_Static_assert(sizeof(arr) == 7 * sizeof(int), "arr");
_Static_assert(sizeof pts == 24, "pts");
_Static_assert(sizeof(struct P) == 5 && _Alignof(struct P) == 1);
_Static_assert(offsetof(node, f) == 8, "");
_Static_assert(sizeof(enum E) == 1, "");
#ifndef __clang__
_Static_assert(__builtin_add_overflow_p(2147483647, 1, 0) && !__builtin_sub_overflow_p(0, 1, 0), "");
_Static_assert(__builtin_sub_overflow_p(0u, 1u, 0u) && __builtin_mul_overflow_p(3u, 100, (signed char)0), "");
#endif
_Static_assert((size_t)&((node *)0)->f == 8, "");
_Static_assert(_Generic(1.0f, float: 1, default: 0), "");
_Static_assert(__builtin_types_compatible_p(__typeof__(1 ? (char)1 : 'a'), int), "");
_Static_assert(_Generic((1 ? (void*)0 : (int*)0), int*: 1, default: 0), "");
_Static_assert(0b1010'1010 == 170, "");
_Thread_local int tl; _Atomic int at; _Atomic(long) al;
__int128 big; _Float128 q = 1.0f128; double _Complex z = 1.0 + 2.0*I;
int sum(int n, ...) { va_list ap; va_start(ap, n); int r = 0; for (int i = 0; i < n; i++) r += va_arg(ap, int); va_end(ap); return r; }
float trace(int n, int m, float A[n][m], float (*restrict B)[m], const float c[static restrict 3]) { float s = 0; for (int i = 0; i < n; ++i) s += A[i][i] + B[i][0] * c[i % 3]; return s; }
int old(a, b) int a; float b; { return a + b; }
int sw(int x) { switch (x) { case 1 ... 3: return 1; case 4: ; int y = 2; return y; default: break; } static void *tab[] = { &&l1, &&l2 }; goto *tab[x & 1]; l1: return 0; l2: ; return 5; }
int attr_in_block(int n) { [[maybe_unused]] int a = n; for ([[maybe_unused]] int i = 0; i < n; i++) [[likely]] a++; int b = a; [[maybe_unused]] int *c = &b; return b; }
[[nodiscard]] int attr([[maybe_unused]] int x, int) { [[fallthrough]]; return ({ int y = x; y ?: 3; }); }
void k(int n) {
  float vla[n][n + 1]; size_t z = sizeof vla; __auto_type w = vla[0][0]; auto u = 3.0f;
  int *p = (int[]){1, 2, 3}; node m = (node){ .i = 1 };
  v4 v = {1, 2, 3, 4}; v = v * 2.0f + v; float e = v[1];
  _Complex float cf = 1.0f; cf *= cf; float re = __real__ cf; 
  asm volatile("nop" : : "r"(n) : "memory");
  double d = 1; d += n; n <<= 2; p += n; unsigned char uc = 3; uc += 300; bool bb = p; 
  if (bb && !p || n > 3) do { n--; } while (n);
  const char *f = __func__; char c = f[0]; 0[f]; 
  __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); __sync_fetch_and_add(&n, 1);
  int len = __builtin_popcount(3) + __builtin_clzll(4); (void)len; bool ov = __builtin_add_overflow(n, 1, &n);
  printf("%zu %d %p\n", z, (int)w, nullptr); (void)(e + re + u + c); (void)m.f; struct P pp = {0}; pp.i++;
  long l = &p[3] - p; m.a = m.b + 1; m.a++;
}
constexpr int NN = 5; int nn[NN]; typedef int T; void shadow(void) { T T = 3; T++;  }
int main(void) { struct S { int a; } s = {1}, *q = &s; q->a = 2; return q->a + sum(2, 1, 2); }
