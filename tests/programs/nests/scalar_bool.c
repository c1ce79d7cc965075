/* Reductions into _Bool: every partial value is 0 or 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int byte(_Bool b)
{
    unsigned char c;
    memcpy(&c, &b, 1);
    return c;
}

int main(void)
{
    static const int sizes[] = { 0, 1, 13, 256, 1000 };
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        int *x = malloc((size_t)(n + 1) * sizeof *x);
        for (int i = 0; i < n; i++)
            x[i] = i % 5 != 4;
        _Bool sum = 0, product = 1, max = 0, min = 1, any = 0, all = 1, either = 0, both = 1, odd = 0;
        #pragma acc parallel loop copyin(x[0:n]) reduction(+:sum) reduction(*:product) \
            reduction(max:max) reduction(min:min)
        for (int i = 0; i < n; i++) {
            sum += x[i];
            product *= x[i];
            max = x[i] > max ? x[i] : max;
            min = x[i] < min ? x[i] : min;
        }
        #pragma acc parallel loop copyin(x[0:n]) reduction(||:any) reduction(&&:all) \
            reduction(|:either) reduction(&:both) reduction(^:odd)
        for (int i = 0; i < n; i++) {
            any = any || x[i];
            all = all && x[i];
            either |= x[i];
            both &= x[i];
            odd ^= x[i];
        }
        printf("%d: %d %d %d %d, %d %d %d %d %d\n", n, byte(sum), byte(product), byte(max), byte(min),
               byte(any), byte(all), byte(either), byte(both), byte(odd));
        sum = 0;
        #pragma acc kernels copyin(x[0:n])
        for (int i = 0; i < n; i++)
            sum += x[i];
        printf("kernels: %d\n", byte(sum));
        free(x);
    }
    return 0;
}
