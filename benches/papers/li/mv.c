/* Matrix-vector multiplication, of Li et al. 2016.  Usage: mv [n] */
#include "../../../examples/check.h"

static void mv(int n, const float *restrict A, const float *restrict x, float *restrict y)
{
    #pragma acc kernels copyin(A[0:n*n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, 301);
    size_t count = (size_t)n * n;
    float *A = allocate(count, sizeof *A);
    float *x = allocate(n, sizeof *x);
    float *y = allocate(n, sizeof *y);
    for (size_t i = 0; i < count; i++)
        A[i] = (float)sample(2 * (unsigned)i);
    for (int j = 0; j < n; j++)
        x[j] = (float)sample(2 * j + 1);
    mv(n, A, x, y);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += (double)A[(size_t)i * n + j] * x[j];
        worst = fmax(worst, relative_error(y[i], sum));
    }
    printf("mv %d: relative error %.1e\n", n, worst);
    free(A);
    free(x);
    free(y);
    return !(worst <= 1e-4);
}
