/* Patel 2014, §3.1.2.1: arrays with their lengths, other names for them, and scalars. Behind `#else` stands the same by hand. */
#include <stdio.h>
#include <stdlib.h>

#ifdef _for

i32Array table(4, 5);

static void fill(i64Array &A, i64Scalar start)
{
    _for (int i = 0; i < A.length(0); i++)
        _for (int j = 0; j < A.length(1); j++)
            _for (int k = 0; k < A.length(2); k++)
                A(i, j, k) = start + 100 * i + 10 * j + k;
}

static void columns(const i64Array &A, f32Array &B)
{
    _for (int i = 0; i < B.length; i++) {
        f32Scalar sum = 0.5f;
        for (int j = 0; j < A.length(1); j++)
            sum += A(i, j) * 0.25f;
        B(i) = sum;
    }
}

static void rows(u8Array &A, i32Array &B)
{
    _for (int i = 0; i < A.length(0); i++)
        _for (int j = 0; j < A.length(1); j++)
            B(i, j) = A(i, j) + A.dimension;
}

static long look(const i64Array &A)
{
    const long *a = A.get_pointer();
    long sum = 0;
    for (int i = 0; i < A.length(0) * A.length(1) * A.length(2); i++)
        sum += (i % 5 + 1) * a[i];
    return sum * 10 + A.dimension;
}

static void all(int n)
{
    i64Array A(n, 3, n + 1);
    #pragma jolokia gpuIn(A) gpuOut(A)
    fill(A, 7);
    printf("%d: %ld", n, look(A));
    i64Array V = A;
    modify_array(V) { dim = 2; length(0) = n; length(1) = 3 * (n + 1); length(2) = 1; }
    f32Array B(n);
    #pragma jolokia gpuIn(V) gpuOut(B) tile(64, 1, 1)
    columns(V, B);
    printf(" %ld", look(V));
    for (int i = 0; i < n; i++)
        printf(" %g", B(i));
    u8Array C(4, 5);
    for (int k = 0; k < 20; k++)
        C.element[k] = k * 13;
    #pragma jolokia gpuIn(C) gpuOut(table)
    rows(C, table);
    printf(" %d", table(3, 4));
    if (n > 1) {
        i64Array W = &A(1, 1, 1);
        modify_array(W) { length(0) = n - 1; }
        printf(" %ld %ld", W(0, 0, 0), W(n - 2, 1, n - 1));
    }
    printf("\n");
}

#else

static int table[4][5];

static long look(const long *a, int n, int dimension)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 5 + 1) * a[i];
    return sum * 10 + dimension;
}

static void all(int n)
{
    int size = 3 * n * (n + 1);
    long *a = calloc(size + 1, sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < n + 1; k++)
                a[(i * 3 + j) * (n + 1) + k] = 7 + 100 * i + 10 * j + k;
    printf("%d: %ld %ld", n, look(a, size, 3), look(a, size, 2));
    for (int i = 0; i < n; i++) {
        float sum = 0.5f;
        for (int j = 0; j < 3 * (n + 1); j++)
            sum += a[i * 3 * (n + 1) + j] * 0.25f;
        printf(" %g", sum);
    }
    for (int k = 0; k < 20; k++)
        table[k / 5][k % 5] = (unsigned char)(k * 13) + 2;
    printf(" %d", table[3][4]);
    if (n > 1)
        printf(" %d %d", 7 + 111, 7 + 100 * (n - 1) + 10 * 2 + n);
    printf("\n");
    free(a);
}

#endif

int main(void)
{
    int sizes[] = {0, 1, 2, 5, 33};
    for (int i = 0; i < 5; i++)
        all(sizes[i]);
    return 0;
}
