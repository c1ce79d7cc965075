/* Pragmas out of macros, continued over lines, with macros and comments inside. */
#include <stdio.h>

#define N 60
#define TEXT(x) #x
#define ACC(x) _Pragma(TEXT(acc x))
#define FOR_EACH(i) ACC(parallel loop copy(x[0:N])) for (int i = 0; i < N; i++)
#define HALF(n) ((n) / 2)
#define CLAUSES copyin(y[0:N]) copy(x[0:N])

int main(void)
{
    int x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i;

    FOR_EACH(i) x[i] += 1;

    #pragma acc parallel /* a comment */ loop \
        copy(x[0:HALF(N)]) \
        // and one more
    for (int i = 0; i < HALF(N); i++)
        x[i] *= 2;

#   pragma   acc   parallel loop CLAUSES
    for (int i = 0; i < N; i++) x[i] += y[i];

    { _Pragma("acc parallel loop copy(x), vector_length(32)") for (int i = 0; i < N; ++i) x[i] ^= 3; }

    for (int i = 0; i < N; i++)
        printf("%d%c", x[i], i % 20 == 19 ? '\n' : ' ');
    return 0;
}
