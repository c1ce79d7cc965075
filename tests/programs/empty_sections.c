// Sections of no bytes: a construct that knows only the pointer finds them mapped.
#include <stdio.h>
#include <stdlib.h>

static void scale(int n, float *a, const float *b)
{
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] *= b[i];
}

static void run(int n)
{
    float *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
    for (int i = 0; i <= n; i++) {
        a[i] = i + 0.5f;
        b[i] = 2.0f - i;
    }
    #pragma acc data copy(a[0:n]) copyin(b[0:n])
    {
        scale(n, a, b);
        #pragma acc data copyin(b[0:n])
        scale(n, a, b);
    }
    #pragma acc enter data copyin(a[0:n], b[0:n])
    scale(n, a, b);
    #pragma acc update self(a[0:n])
    #pragma acc exit data delete(a[0:n], b[0:n])
    double sum = 0;
    for (int i = 0; i <= n; i++)
        sum += a[i];
    printf("%d: %g\n", n, sum);
    free(a);
    free(b);
}

int main(void)
{
    run(0);
    run(1);
    run(5);
    run(0);
    return 0;
}
