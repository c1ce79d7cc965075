/* What moves between calls of OpenHMPP's codelets: by directives of its own, at the call, at the first one. */
#include <stdio.h>
#include <stdlib.h>

#define N 100

#pragma hmpp add codelet, args[a; b].io=in, args[c].io=out, args[a; b; c].size={n}
static void add(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

/* Nothing moves at the call. */
#pragma hmpp scale codelet, args[v].size={n}, args[v].transfer=manual, args[n].transfer=atcall
static void scale(int n, double f, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] *= f;
}

/* Tables come once. */
#pragma hmpp look codelet, args[table].io=in, args[table].transfer=atfirstcall, args[out].io=out
static void look(int n, const int table[16], int out[n])
{
    for (int i = 0; i < n; i++)
        out[i] = table[i & 15] + i;
}

static double total(int n, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

int main(void)
{
    int n = N;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    for (int i = 0; i < n; i++)
        a[i] = i, b[i] = 1, c[i] = -1;

    #pragma hmpp add allocate, args[a].size={n}, args[a].hostdata="a"
    #pragma hmpp add advancedload, args[a; b]
    #pragma hmpp add callsite, args[a; b].advancedload=true, asynchronous
    add(n, a, b, c);
    #pragma hmpp add synchronize
    #pragma hmpp add delegatedstore, args[c]
    printf("%g\n", total(n, c));
    b[5] = 100;
    /* One of them anew, in the queue. */
    #pragma hmpp add advancedload, args[b], asynchronous
    #pragma hmpp add callsite, args[a; b].advancedload=true
    add(n, a, b, c);
    #pragma hmpp add delegatedstore, args[c], hostdata="c"
    printf("%g\n", total(n, c));
    #pragma hmpp add free, args[a]
    #pragma hmpp add release

    /* The call brings it in and back where nothing else does. */
    #pragma hmpp add callsite, args[c].delegatedstore=false
    add(n / 2, a, b, c);
    #pragma hmpp add delegatedstore, args[c]
    printf("%g\n", total(n / 2, c));
    #pragma hmpp add release

    #pragma hmpp scale acquire
    #pragma hmpp scale allocate
    #pragma hmpp scale advancedload, args[v]
    for (int k = 0; k < 3; k++) {
        #pragma hmpp scale callsite
        scale(n, 2, a);
    }
    /* A part, then all. */
    #pragma hmpp scale delegatedstore, args[v], section={0..n/2-1}
    printf("%g\n", total(n / 2, a));
    #pragma hmpp scale delegatedstore, args[v], asynchronous
    #pragma hmpp scale synchronize
    printf("%g\n", total(n, a));
    a[n - 1] = 0;
    #pragma hmpp scale advancedload, args[v], section={n-1..n-1}
    #pragma hmpp scale callsite
    scale(n, 0.5, a);
    #pragma hmpp scale delegatedstore, args[v]
    #pragma hmpp scale release
    printf("%g\n", total(n, a));

    int table[16], out[N];
    for (int i = 0; i < 16; i++)
        table[i] = i * i;
    for (int k = 0; k < 2; k++) {
        #pragma hmpp look callsite
        look(n, table, out);
    }
    printf("%d %d\n", out[3], out[n - 1]);
    #pragma hmpp look release

    /* Memory by what points to it. */
    #pragma hmpp scale allocate, data["b"], size={n}
    #pragma hmpp scale advancedload, data["b"], size={n}
    #pragma hmpp scale callsite
    scale(n, 3, b);
    #pragma hmpp scale delegatedstore, data["b"], size={n}
    #pragma hmpp scale free, data["b"], size={n}
    printf("%g\n", total(n, b));
    free(a);
    free(b);
    free(c);
    return 0;
}
