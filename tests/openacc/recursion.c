/* Functions that call themselves, pointers to local variables, routines with loops called out of line. */
#include <stdio.h>

#define N 40

struct node { int value, left, right; };
struct range { int low, high; double middle; };

#pragma acc routine seq
int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int is_odd(unsigned char n);

static _Bool is_even(unsigned char n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(unsigned char n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static int depth(const struct node *tree, int at)
{
    if (at < 0)
        return 0;
    int left = depth(tree, tree[at].left), right = depth(tree, tree[at].right);
    return 1 + (left > right ? left : right);
}

static void extremes(const int *a, int n, struct range *found)
{
    if (n == 1) {
        found->low = found->high = *a;
        found->middle = *a;
        return;
    }
    struct range left, right;
    extremes(a, n / 2, &left);
    extremes(a + n / 2, n - n / 2, &right);
    found->low = left.low < right.low ? left.low : right.low;
    found->high = left.high > right.high ? left.high : right.high;
    found->middle = (left.middle + right.middle) / 2;
}

/* Gives back the place of the larger one. */
static float *larger(float *a, float *b)
{
    return *a < *b ? b : a;
}

static int sort(int *a, int low, int high)
{
    int swaps = 0, i = low, j = high;
    if (low >= high)
        return 0;
    int pivot = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
            swaps++;
        }
    }
    swaps += sort(a, low, j);
    return swaps + sort(a, i, high);
}

int main(void)
{
    static int f[N], e[N], sorted[8][N], swaps[8];
    static float x[N];
    struct node tree[5] = { { 1, 1, 2 }, { 2, 3, -1 }, { 3, -1, -1 }, { 4, -1, 4 }, { 5, -1, -1 } };
    struct range all[3];
    int deep = 0;

    #pragma acc parallel loop copyout(f, e)
    for (int i = 0; i < N; i++) {
        f[i] = fibonacci(i % 13);
        e[i] = is_even(i);
    }
    #pragma acc serial copyout(deep)
    deep = depth(tree, 0);
    #pragma acc parallel loop copyin(f) copyout(all)
    for (int i = 0; i < 3; i++)
        extremes(f + i, N - i, &all[i]);

    /* One of two places, of which one is the thread's. */
    #pragma acc parallel loop copy(x)
    for (int i = 0; i < N; i++) {
        float limit = 20, *place;
        x[i] = i;
        place = larger(&x[i], &limit);
        *place += 100;
        x[i] += limit;
    }

    #pragma acc parallel loop copyout(sorted, swaps)
    for (int row = 0; row < 8; row++) {
        for (int i = 0; i < N; i++)
            sorted[row][i] = (i * 37 + row * 11) % 41;
        swaps[row] = sort(sorted[row], 0, N - 1);
    }

    for (int i = 0; i < N; i += 3)
        printf("%d %d %g\n", f[i], e[i], x[i]);
    printf("%d\n", deep);
    for (int i = 0; i < 3; i++)
        printf("%d %d %g\n", all[i].low, all[i].high, all[i].middle);
    for (int row = 0; row < 8; row++)
        printf("%d: %d %d %d\n", swaps[row], sorted[row][0], sorted[row][N / 2], sorted[row][N - 1]);
    return 0;
}
