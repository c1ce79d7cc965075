/* C = A * B as three plain loops, for docs/plans.md. Usage: product [n] */
#include <stdio.h>
#include <stdlib.h>

void product(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    #pragma acc kernels copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, wrong = 0;
    size_t bytes = sizeof(float) * n * n;
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7;
        b[i] = i % 5;
    }
    product(n, a, b, c);
    for (int i = 0; i < n; i += 31)
        for (int j = 0; j < n; j += 17) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            wrong += sum != c[i * n + j];
        }
    printf("%d of the results that were looked at are wrong\n", wrong);
    return wrong != 0;
}
