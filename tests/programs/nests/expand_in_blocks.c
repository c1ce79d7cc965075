/* Values and arrays of iterations inside of a loop that the program says is independent: blocks that run at once have none of them in common.
 * Whether rows of one matrix reach into the next is known at run time only. */
#include <stdio.h>

enum { MOST = 24 };

static void values(int n, int m, int count, int k, int stride, const int *restrict a, int *restrict c)
{
    #pragma acc kernels loop independent copyin(a[0:count*n*k]) copy(c[0:count*stride])
    for (int b = 0; b < count; b++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                int sum = 0;
                for (int l = 0; l < k; l++)
                    sum += a[b * n * k + i * k + l] * (b + j);
                c[b * stride + i * m + j] += sum;
            }
}

static void arrays(int n, int m, int count, int stride, int room, const int *restrict a, int *restrict c, int *restrict w)
{
    #pragma acc kernels loop independent copyin(a[0:count*n*m]) copy(c[0:count*stride]) copy(w[0:count*room])
    for (int b = 0; b < count; b++)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++)
                w[b * room + j] = a[b * n * m + i * m + j] + b;
            for (int j = 0; j < m; j++)
                c[b * stride + i * m + j] += w[b * room + m - 1 - j];
        }
}

int main(void)
{
    static int a[3 * MOST * MOST], c[3 * MOST * MOST], w[3 * MOST];
    static const int sizes[] = {0, 1, 5, 23};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        for (int i = 0; i < 3 * MOST * MOST; i++) {
            a[i] = i % 7;
            c[i] = i % 5;
        }
        for (int i = 0; i < 3 * MOST; i++)
            w[i] = i;
        values(n, n + 1, 3, 5, n * (n + 1), a, c);
        arrays(n, n, 3, n * n, n + 1, a, c, w);
        long sum = 0;
        for (int i = 0; i < 3 * MOST * MOST; i++)
            sum = (sum * 31 + c[i]) % 1000003;
        for (int i = 0; i < 3 * MOST; i++)
            sum = (sum * 31 + w[i]) % 1000003;
        printf("%d: %ld\n", n, sum);
    }
    return 0;
}
