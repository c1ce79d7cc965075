/* Matrix transpose, of Li et al. 2016.  Usage: mt [n] */
#include "../../../examples/check.h"

static void mt(int n, const float *restrict in, float *restrict out)
{
    #pragma acc kernels copyin(in[0:n*n]) copyout(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = in[j * n + i];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 301);
    size_t count = (size_t)n * n;
    float *in = allocate(count, sizeof *in);
    float *out = allocate(count, sizeof *out);
    for (size_t i = 0; i < count; i++)
        in[i] = (float)sample((unsigned)i);
    mt(n, in, out);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            wrong += out[(size_t)i * n + j] != in[(size_t)j * n + i];
    printf("mt %d: %d wrong\n", n, wrong);
    free(in);
    free(out);
    return wrong != 0;
}
