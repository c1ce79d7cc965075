/* Reductions by clause: every operator on every type that has it, gangs and lanes. */
#include <stdio.h>
#include <stdlib.h>

#define INTEGER(T, F)                                                                              \
    do {                                                                                           \
        T *x = malloc((size_t)(n + 1) * sizeof *x);                                                \
        for (int i = 0; i < n; i++)                                                                \
            x[i] = (T)(i * 37 % 101 + 1);                                                          \
        T add = 3, mul = 1, min = 100, max = 4, and = (T)~0, or = 2, xor = 5, all = 7, any = 0;    \
        T none = 9;                                                                                \
        _Pragma("acc parallel loop copyin(x[0:n]) reduction(+:add) reduction(*:mul) reduction(min:min) reduction(max:max) reduction(&:and) reduction(|:or) reduction(^:xor) reduction(&&:all) reduction(||:any)") \
        for (int i = 0; i < n; i++) {                                                              \
            add += x[i];                                                                           \
            mul = (T)((unsigned long)mul * (unsigned long)(x[i] | 1));                             \
            min = x[i] < min ? x[i] : min;                                                         \
            if (x[i] > max)                                                                        \
                max = x[i];                                                                        \
            and &= (T)(x[i] | 64);                                                                 \
            or |= x[i];                                                                            \
            xor ^= x[i];                                                                           \
            all = all && x[i] != 77;                                                               \
            any = any || x[i] == 38;                                                               \
        }                                                                                          \
        _Pragma("acc parallel loop reduction(&&:none)")                                            \
        for (int i = 0; i < n / 2; i++)                                                            \
            none = none && i < n;                                                                  \
        printf(#T " %d: " F " " F " " F " " F " " F " " F " " F " " F " " F " " F "\n", n, add, mul, min, \
               max, and, or, xor, all, any, none);                                                 \
        free(x);                                                                                   \
    } while (0)

#define FLOATING(T)                                                                                \
    do {                                                                                           \
        T *x = malloc((size_t)(n + 1) * sizeof *x);                                                \
        for (int i = 0; i < n; i++)                                                                \
            x[i] = (T)(i * 37 % 101 + 1);                                                          \
        T add = 3, mul = 1, min = 100, max = 4, all = 7, any = 0;                                  \
        _Pragma("acc parallel loop gang vector copyin(x[0:n]) reduction(+:add) reduction(*:mul) reduction(min:min) reduction(max:max) reduction(&&:all) reduction(||:any)") \
        for (int i = 0; i < n; i++) {                                                              \
            add += x[i];                                                                           \
            mul *= i % 50 == 7 ? (T)2 : (T)1;                                                      \
            min = x[i] < min ? x[i] : min;                                                         \
            max = x[i] > max ? x[i] : max;                                                         \
            all = all && x[i] != 77;                                                               \
            any = any || x[i] == 38;                                                               \
        }                                                                                          \
        printf(#T " %d: %g %g %g %g %g %g\n", n, (double)add, (double)mul, (double)min,            \
               (double)max, (double)all, (double)any);                                             \
        free(x);                                                                                   \
    } while (0)

/* A gang's reduction per row, by lanes. */
static void rows(int n)
{
    int *x = malloc((size_t)(n + 1) * (n + 1) * sizeof *x), *out = malloc(4 * (size_t)(n + 1) * sizeof *out);
    for (int i = 0; i < n * n; i++)
        x[i] = i * 11 % 64;
    #pragma acc parallel loop gang copyin(x[0:n*n]) copyout(out[0:4*n])
    for (int i = 0; i < n; i++) {
        int or = 0, xor = 1, any = 0, all = 1;
        #pragma acc loop vector reduction(|:or) reduction(^:xor) reduction(||:any) reduction(&&:all)
        for (int j = 0; j < n; j++) {
            or |= x[i * n + j];
            xor ^= x[i * n + j];
            any = any || x[i * n + j] == 33;
            all = all && x[i * n + j] != 33;
        }
        out[4 * i] = or;
        out[4 * i + 1] = xor;
        out[4 * i + 2] = any;
        out[4 * i + 3] = all;
    }
    unsigned sum = 0;
    for (int i = 0; i < 4 * n; i++)
        sum = sum * 31 + (unsigned)out[i];
    printf("rows %d: %u\n", n, sum);
    free(x);
    free(out);
}

int main(void)
{
    static const int sizes[] = { 0, 1, 97, 512 };
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        INTEGER(int, "%d");
        INTEGER(unsigned, "%u");
        INTEGER(long, "%ld");
        INTEGER(unsigned long, "%lu");
        INTEGER(short, "%d");
        INTEGER(unsigned char, "%d");
        FLOATING(float);
        FLOATING(double);
        rows(n > 100 ? 100 : n);
    }
    return 0;
}
