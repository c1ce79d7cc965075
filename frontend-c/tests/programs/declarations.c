// Declarations, declarators and statements in forms that trip simple readers.
typedef struct { int a; } T;
struct outer { struct { int x; } in[2]; int n; } o = { .in[1].x = 4, .n = 2, };
int f(T *restrict, int (*)(int, char), ...);
int (*g(int a))(double);
int (*(*h)(void))[3];
void k(int a[static 2], int n, int m[*][n]);
static const char *const names[] = { [0] = "a", "b" };
unsigned long long big = 0xFFFFFFFFFFFFFFFFull; char c = '\x41';
int arr[sizeof(struct outer) > 4 ? 2 : -1];
extern int e1[], e1[4];
typedef int (*fn)(int); fn table[] = { 0 };
long double ld = 1e4000L; float fh = 0x1p-3f;
int sw(unsigned x) { switch (x) { case -1: return 1; case 0: case 1: return 2; } return 0; }
int loops(void) { int s = 0; for (int i = 0, *p = &s; i < 3; i++, (*p)++) { if (i == 1) continue; else break; } while (1) { if (s) goto end; s++; } end: return s; }
void vl(int n, double a[n][n+1], double (*b)[n]) { double c[n]; double (*p)[n + 1] = a; c[0] = p[1][2] + b[0][1]; typeof(c) d; (void)sizeof d; }
int cond(int *p, void *v, const int *q) { const void *r = p ? v : q; return r == 0 ? *(p ? p : 0) : -1; }
struct bf { unsigned a : 4; signed b : 4; }; int bfs(struct bf *s) { s->a += 3; s->b--; return s->a << 28 | s->b; }
inline __attribute__((always_inline)) static int ai(int x) { return x; }
__attribute__((noreturn)) void die(int); void die(int x) { for (;;); }
int stmt(int a) { return ({ __label__ l; int r = a; if (r) goto l; r = 3; l: r; }) + __extension__ ({ a; }); }
enum flags { F1 = 1 << 0, F2 = F1 << 1, F3 = F1 | F2 }; int fl = F3;
int shadow(int shadow) { { int shadow = 2; (void)shadow; } return shadow; }
struct node; struct node *mk(void); struct node { struct node *l, *r; }; int w(struct node *n) { return n ? 1 + w(n->l) + w(mk()->r) : 0; }
void pp(char **argv) { char *s = argv[0], *t; while ((t = s++) && *t != '\0') ; *argv++; --*argv; (*argv)++; }
double dd(float x) { return x * 2 + 1.0f / 3 + (x > 0 ? 1 : 2.0); }
int comma(void) { int a = (1, 2), b; b = a, a = b; return a ? b, a : b; }
char str[] = { "x" }, str2[2] = "ab"; unsigned u = -1;
_Bool bo = 3; int *np = 0, *np2 = (void*)0; struct { int a, b; } anon = { 1 }, anon2;
int tgt(void) { anon2 = anon; return anon2.a; }
int oldstyle(); int call(void) { return oldstyle(1, 2.0f, "x"); }
void asmv(int x) { __asm__ __volatile__("" ::: "memory"); __asm__("mov %1, %0" : "=r"(x) : "r"(x)); }
