/* private and firstprivate variables, and host code that a region must leave alone. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define N 64

static int host_calls;

static const char *format(char *into, const char *how, ...)
{
    va_list arguments;
    va_start(arguments, how);
    vsprintf(into, how, arguments);
    va_end(arguments);
    host_calls++;
    return into;
}

static int apply(int (*f)(int), int x) { return f(x); }
static int twice(int x) { return 2 * x; }

int main(void)
{
    int out[N], scratch = 99, start = 7;
    #pragma acc parallel loop private(scratch) firstprivate(start) copyout(out)
    for (int i = 0; i < N; i++) {
        scratch = i * i;
        for (int j = 0; j < 3; j++)
            scratch += start + j;
        out[i] = scratch;
    }
    printf("%d\n", start);

    /* The rest is the host compiler's: variadic functions, function pointers, goto, strings. */
    char text[64];
    int i = 0;
again:
    if (i < N) {
        if (i % 16 == 0)
            puts(format(text, "%3d: %d", i, out[i]));
        i++;
        goto again;
    }
    char *end = strrchr(text, ' ');
    printf("%s %d %d\n", end ? end + 1 : "?", apply(twice, 21), host_calls);
    return 0;
}
