/* Numbers that grow beside the loop's variable. */
#include <stdio.h>
#include <stdlib.h>

static unsigned sum(const int *p, long count)
{
    unsigned s = 17;
    for (long i = 0; i < count; i++)
        s = s * 31 + (unsigned)p[i];
    return s;
}

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 256 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s], m = 5;
        int *a = calloc((size_t)n * 6 + 8, sizeof *a), *b = calloc((size_t)n * 6 + 8, sizeof *b);
        for (int i = 0; i < n * 6 + 8; i++)
            b[i] = i * 7 % 23;
        int k = 1, j = n - 1, l = 0;
        #pragma acc kernels copy(a[0:n*6+8]) copyin(b[0:n*6+8])
        for (int i = 0; i < n; i++) {
            a[k] = b[j] + i;
            k += 2;
            j--;
        }
        printf("%d: %d %d %u\n", n, k, j, sum(a, n * 6 + 8));
        /* Through two loops, and by a step that the loop does not change. */
        #pragma acc kernels copy(a[0:n*6+8]) copyin(b[0:n*6+8])
        for (int i = 0; i < n; i++)
            for (int q = 0; q < m; q++) {
                a[l] += b[l];
                l++;
            }
        int step = 3, at = 2;
        #pragma acc kernels copy(a[0:n*6+8])
        for (int i = n - 1; i >= 0; i -= 2) {
            a[at] -= i;
            at += step;
        }
        printf("%d: %d %d %u\n", n, l, at, sum(a, n * 6 + 8));
        /* Pointers that go through arrays. */
        #pragma acc kernels copy(a[0:n*6+8]) copyin(b[0:n*6+8])
        {
            int *to = a, *from = b + n;
            for (int i = 0; i < n; i++) {
                *to++ += *from;
                from -= 1;
            }
        }
        unsigned char small = 250;
        #pragma acc kernels copy(a[0:n*6+8])
        for (int i = 0; i < n; i++) {
            a[i] += small;
            small += 3;
        }
        printf("%d: %d %u\n", n, small, sum(a, n * 6 + 8));
        free(a);
        free(b);
    }
    return 0;
}
