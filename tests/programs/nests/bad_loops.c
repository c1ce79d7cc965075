// What loops of kernels are not to be: bounds that change inside, exits, variables and subscripts that come around, pointers into one
// array of which only the run time knows how far they are apart. All of it is as C has it.
#include <stdio.h>

// The bound changes inside.
static int grow(int n, int *restrict a)
{
    int end = n;
    #pragma acc kernels copy(a[0:100])
    for (int i = 0; i < end; i++) {
        a[i] += 1;
        if (a[i] == 3 && end < 100)
            end++;
    }
    return end;
}

// The same of a bound in memory, which the array may hold.
static int grow_in_memory(int *m, int *a)
{
    #pragma acc kernels copy(a[0:100], m[0:2])
    for (int i = 0; i < m[1]; i++) {
        a[i] += 2;
        if (i == 5)
            m[1] = 9;
    }
    return m[1];
}

static void inner_bound(int n, int *restrict length, int *restrict x)
{
    #pragma acc kernels copy(length[0:n], x[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < length[i]; j++) {
            x[i] += j;
            if (j == 3)
                length[i] = 5;
        }
}

static int leave(int n, const int *restrict a, int *restrict b)
{
    int at = -1;
    #pragma acc kernels copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 2;
        if (a[i] == 40) {
            at = i;
            break;
        }
    }
    return at;
}

// a and b lie in one array, one element apart.
static void overlap(int n, int *a, int *b)
{
    int *all = a < b ? a : b;
    #pragma acc data copy(all[0:n + 1])
    #pragma acc kernels present(a[0:n], b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 3 + 1;
}

static void come_around(unsigned n, unsigned char top, int *restrict a)
{
    #pragma acc kernels copy(a[0:256])
    for (unsigned char i = 3; i < top; i += 7)
        a[i] += 1;
    #pragma acc kernels copy(a[0:256])
    for (unsigned i = n + 2; i >= n - 1 && i < 200; i--)
        a[i & 255] += 1;
}

static void subscript_comes_around(unsigned long long n, unsigned long long w, int *restrict a)
{
    #pragma acc kernels copy(a[0:1024])
    for (unsigned long long i = 0; i < n; i++)
        a[i * w & 1023] = 1;
}

// Where there is one iteration, w * w times 4 bytes need not be a number of 64 bits.
static void far_apart(long n, long w, int *restrict a)
{
    #pragma acc kernels
    for (long i = 0; i < n; i++)
        a[i * w * w] += 5;
}

static void show(const char *name, int n, const int *a)
{
    unsigned sum = 1;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + a[i];
    printf("%s %u\n", name, sum);
}

static int a[2048], b[2048], m[2];

int main(void)
{
    for (int i = 0; i < 2048; i++)
        a[i] = i % 50, b[i] = i * 7 % 45;
    for (int n = 0; n < 60; n += 13) {
        printf("%d\n", grow(n, a));
        m[1] = n % 20;
        printf("%d\n", grow_in_memory(m, a));
        show("grow", 100, a);
        printf("%d\n", leave(n, b, a));
        show("leave", 100, a);
        overlap(n, a, a + 1);
        show("overlap", 100, a);
        overlap(n, a + 1, a);
        show("overlap", 100, a);
        inner_bound(n, b, a);
        show("inner bound", 100, a);
        show("lengths", 100, b);
        come_around(n, 200, a);
        show("come around", 256, a);
        subscript_comes_around(n, 0x8000000000000001ull, a);
        show("subscript comes around", 1024, a);
        far_apart(n != 0, 1l << 31, a);
        far_apart(n, 0, a);
        far_apart(n, 1, a);
        show("far apart", 100, a);
        for (int i = 0; i < 2048; i++)
            a[i] %= 50, b[i] = (b[i] & 63) % 45;
    }
    return 0;
}
