/* A 5x5 filter on an image of unsigned char, of Li et al. 2016.  Usage: gauss [n] */
#include "../../../examples/check.h"

static void gauss(int n, const int *restrict weight, const unsigned char *restrict in,
                  unsigned char *restrict out)
{
    #pragma acc kernels copyin(weight[0:25], in[0:n*n]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            int sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    sum += weight[y * 5 + x] * in[(i + y - 2) * n + j + x - 2];
            out[i * n + j] = sum / 256;
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 301);
    size_t count = (size_t)n * n;
    int binomial[5] = {1, 4, 6, 4, 1}, weight[25];
    for (int i = 0; i < 25; i++)
        weight[i] = binomial[i / 5] * binomial[i % 5];
    unsigned char *in = allocate(count, 1), *out = allocate(count, 1);
    for (size_t i = 0; i < count; i++)
        in[i] = mixed_bits((unsigned)i) >> 24;
    gauss(n, weight, in, out);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0, inside = i >= 2 && i < n - 2 && j >= 2 && j < n - 2;
            for (int k = 0; inside && k < 25; k++)
                sum += weight[k] * in[(size_t)(i + k / 5 - 2) * n + j + k % 5 - 2];
            wrong += out[(size_t)i * n + j] != sum / 256;
        }
    printf("gauss %d: %d wrong\n", n, wrong);
    free(in);
    free(out);
    return wrong != 0;
}
