/* Patel 2014, §3.1: parameters by reference, of which the function changes some, and scalars that are each iteration's own. Behind
   `#else` stands the same by hand. */
#include <stdio.h>
#include <stdlib.h>

#ifdef _for

static void bounds(const i32Array &A, int &least, i32Scalar &most)
{
    least = most.get_data() = A.length > 0 ? A(0) : 0;
    for (int i = 1; i < A.length; i++) {
        if (A(i) < least)
            least = A(i);
        if (A(i) > most)
            most = A(i);
    }
}

static void swap(int &a, int &b)
{
    int c = a;
    a = b;
    b = c;
}

static int larger(const int &a, int &b)
{
    return a > b ? a : b;
}

static void sum(i32Array &A, i32Array &B, long &total)
{
    long all = 0;
    i32Scalar own = 3;
    _for (int i = 0; i < A.length; i++) {
        own += A(i);
        own *= 2;
        B(i) = own;
    }
    for (int i = 0; i < B.length; i++)
        all += B(i);
    total = all;
}

static void clamp(i32Array &A, i32Scalar limit, int &by)
{
    _for (int i = 0; i < A.length; i++) {
        limit += by;
        if (A(i) > limit)
            A(i) = limit;
    }
}

static void all(int n)
{
    i32Array A(n), B(n);
    for (int i = 0; i < n; i++)
        A(i) = i * 7 % 23 - 5;
    int least = 1, most = 2;
    long total = -1;
    bounds(A, least, most);
    printf("%d: %d %d", n, least, most);
    swap(least, most);
    printf(" %d %d %d", least, most, larger(least, most));
    #pragma jolokia gpuIn(A) gpuOut(B)
    sum(A, B, total);
    printf(" %ld", total);
    #pragma jolokia gpuIn(A) gpuOut(A)
    clamp(A, 4, most);
    bounds(A, least, most);
    printf(" %d %d\n", least, most);
}

#else

static void bounds(const int *a, int n, int *least, int *most)
{
    *least = *most = n ? a[0] : 0;
    for (int i = 1; i < n; i++) {
        if (a[i] < *least)
            *least = a[i];
        if (a[i] > *most)
            *most = a[i];
    }
}

static void all(int n)
{
    int *a = calloc(n + 1, sizeof *a), least, most, limit;
    long total = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i * 7 % 23 - 5;
        total += (3 + a[i]) * 2;
    }
    bounds(a, n, &least, &most);
    printf("%d: %d %d %d %d %d %ld", n, least, most, most, least, most, total);
    limit = 4 + least;
    for (int i = 0; i < n; i++)
        if (a[i] > limit)
            a[i] = limit;
    bounds(a, n, &least, &most);
    printf(" %d %d\n", least, most);
    free(a);
}

#endif

int main(void)
{
    int sizes[] = {0, 1, 2, 40};
    for (int i = 0; i < 4; i++)
        all(sizes[i]);
    return 0;
}
