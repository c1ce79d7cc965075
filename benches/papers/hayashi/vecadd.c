/* The sum of two vectors (VecAdd), of Hayashi et al. 2019.  Usage: vecadd [n] */
#include "../../../examples/check.h"
#include "forms.h"

static void add(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    DEVICE_LOOP(copyin(a[0:n], b[0:n]) copyout(c[0:n]), map(to: a[0:n], b[0:n]) map(from: c[0:n]))
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 20011);
    float *a = allocate(n, sizeof *a), *b = allocate(n, sizeof *b), *c = allocate(n, sizeof *c);
    for (int i = 0; i < n; i++) {
        a[i] = (float)sample(2 * (unsigned)i);
        b[i] = (float)sample(2 * (unsigned)i + 1);
    }
    add(n, a, b, c);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i];
    printf("vecadd %d: %d wrong\n", n, wrong);
    free(a);
    free(b);
    free(c);
    return wrong != 0;
}
