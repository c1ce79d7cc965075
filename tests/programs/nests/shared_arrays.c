// The `share` pragma of Li et al. 2016: the paper's product and transpose, a filter, and constructs of several nests, of sizes
// that are empty, one, prime and powers of two. Device and host print the same.
#include <stdio.h>
#include <stdlib.h>

static float value(int i) { return (float)(i * 7 % 13) - 3; }

static void gemm(int n, float a, float b, const float *restrict A, const float *restrict B, float *restrict C)
{
    #pragma acc share(B[*][TB_X], A[TB_Y][*]:coalesce)
    #pragma acc kernels loop independent copyin(A[0:n*n], B[0:n*n]) copy(C[0:n*n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop independent
        for (int j = 0; j < n; j++) {
            float ab = 0.0f;
            for (int k = 0; k < n; k++)
                ab += A[i * n + k] * B[k * n + j];
            C[i * n + j] = a * ab + b * C[i * n + j];
        }
    }
}

// Lengths by numbers and expressions, of arrays of two dimensions.
static void product(int m, int n, int l, double A[restrict m][l], double B[restrict l][n], double C[restrict m][n])
{
    #pragma acc share(A[TB_Y*2/2][8], B[4+4][TB_X + 0])
    #pragma acc kernels copyin(A[0:m][0:l], B[0:l][0:n]) copyout(C[0:m][0:n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < l; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

static void mt(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(in[TB_X][TB_Y]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copyout(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = in[j * n + i];
}

// Squares of other sides, of arrays that are read and written by columns.
static void small_squares(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(in[8][8]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] += in[j * n + i];
}

static void squares(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(out[16][16]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = 2 * in[i * n + j];
}

static void large_squares(int n, const float *restrict in, float *restrict out)
{
    #pragma acc share(in[64][64]:coalesce)
    #pragma acc kernels copyin(in[0:n*n]) copy(out[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] -= in[j * n + i];
}

// Rows that are summed up: lanes read them in order.
static void mv(int n, const float *restrict A, const float *restrict x, float *restrict y)
{
    #pragma acc share(A[TB_X][*]:coalesce)
    #pragma acc kernels copyin(A[0:n*n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

static void filter(int n, const unsigned char *restrict in, const float *restrict weight, unsigned char *restrict out)
{
    #pragma acc share(in[TB_Y][TB_X])
    #pragma acc parallel loop collapse(2) copyin(in[0:n*n], weight[0:25]) copy(out[0:n*n])
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < n - 2; j++) {
            float sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++)
                    sum += weight[y * 5 + x] * in[(i + y - 2) * n + j + x - 2];
            out[i * n + j] = (unsigned char)sum;
        }
}

// Each nest of a construct has a pragma of its own, one has none.
static void several(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n], c[0:n][0:n])
    {
        #pragma acc share(a[*][*]:coalesce)
        #pragma acc loop independent
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b[i][j] += a[j][i];
        for (int i = 0; i < n; i++)
            a[i][0] = i;
        #pragma acc share(a[TB_Y][16], b[16][TB_X])
        #pragma acc loop independent
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float sum = c[i][j];
                for (int k = 0; k < n; k++)
                    sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
    }
}

static void show(const char *name, int n, int count, const float *values)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] * (i % 31 + 1);
    printf("%s %d: %.6e\n", name, n, sum);
}

static void all(int n)
{
    int count = n * n;
    float *a = calloc(count + 1, 4), *b = calloc(count + 1, 4), *c = calloc(count + 1, 4);
    for (int i = 0; i < count; i++)
        a[i] = value(i), b[i] = value(i + 5), c[i] = value(i + 2);
    gemm(n, 2, 3, a, b, c);
    show("gemm", n, count, c);
    mt(n, a, b);
    show("mt", n, count, b);
    small_squares(n, a, b);
    show("squares of 8", n, count, b);
    large_squares(n, c, b);
    show("squares of 64", n, count, b);
    squares(n, a, b);
    show("squares of 16", n, count, b);
    mv(n, a, b, c);
    show("mv", n, n, c);
    several(n, (void *)a, (void *)b, (void *)c);
    show("several", n, count, b);
    show("several", n, count, c);
    int m = n / 2 + 1, l = n / 3;
    double *x = calloc(m * l + 1, 8), *y = calloc(l * n + 1, 8), *z = calloc(m * n + 1, 8);
    for (int i = 0; i < m * l; i++)
        x[i] = value(i);
    for (int i = 0; i < l * n; i++)
        y[i] = value(i + 1);
    product(m, n, l, (void *)x, (void *)y, (void *)z);
    double sum = 0;
    for (int i = 0; i < m * n; i++)
        sum += z[i] * (i % 31 + 1);
    printf("product %d: %.6e\n", n, sum);
    unsigned char *in = calloc(count + 1, 1), *out = calloc(count + 1, 1);
    float weight[25];
    for (int i = 0; i < 25; i++)
        weight[i] = 0.0625f * (i % 4);
    for (int i = 0; i < count; i++)
        in[i] = (unsigned char)(i * 5 % 61);
    filter(n, in, weight, out);
    int total = 0;
    for (int i = 0; i < count; i++)
        total += out[i] * (i % 31 + 1);
    printf("filter %d: %d\n", n, total);
    free(a), free(b), free(c), free(x), free(y), free(z), free(in), free(out);
}

int main(void)
{
    int sizes[] = {0, 1, 7, 32, 67, 128};
    for (int i = 0; i < 6; i++)
        all(sizes[i]);
}
