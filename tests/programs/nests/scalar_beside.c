/* A greatest or least is no reduction where the branch that finds it does more: how often a better one came, and what was
 * written then, hangs on the iterations before. Nor are two of which one is only looked for where the other is not found. */
#include <stdio.h>

enum { MOST = 300 };
static int x[MOST], marks[MOST];
static float f[MOST];

static void counted(int n)
{
    int most = -1, at = -1, better = 0, worse = 0, small = 9, counted = 0;
    float largest = 2.5f;
    int over = 0;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (x[i] > most) {
            most = x[i];
            at = i;
            better++;
        }
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (!(x[i] < small))
            worse += i;
        else
            small = x[i];
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (f[i] > largest) {
            largest = f[i];
            over += 3;
        }
    small = 9;
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (x[i] < small) {
            small = x[i];
            if (x[i] < 2)
                counted++;
        }
    printf("%d: %d %d %d, %d %d, %g %d, %d\n", n, most, at, better, worse, small, largest, over, counted);
}

static void marked(int n)
{
    int most = -5, least = 50;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] < most)
            continue;
        most = x[i];
        marks[i] = most;
    }
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        int v = x[i], is_less = v < least;
        least = is_less ? v : least;
        marks[i] += is_less;
    }
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        int high = 0, rises = 0;
        for (int j = 0; j <= i; j++)
            if (x[j] > high) {
                high = x[j];
                rises++;
            }
        marks[i] += 16 * rises;
    }
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31u + (unsigned)marks[i];
    printf("%d %d %u\n", most, least, sum);
}

static void either(int n)
{
    int least = 9, most = -9, first = 100, second = 100;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] < least)
            least = x[i];
        else if (x[i] > most)
            most = x[i];
    }
    #pragma acc kernels
    for (int i = 0; i < n; i++)
        if (x[i] < first) {
            second = first;
            first = x[i];
        }
    printf("%d %d, %d %d\n", least, most, first, second);
}

/* Each by itself it is one. */
static void alone(int n)
{
    int least = 1000, most = -1000, at = -1;
    #pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] < least)
            least = x[i];
        if (x[i] > most) {
            most = x[i];
            at = i;
        }
    }
    printf("%d %d %d\n", least, most, at);
}

int main(void)
{
    const int sizes[] = {0, 1, 13, 128, 293};
    for (int s = 0; s < 5; s++) {
        for (int i = 0; i < MOST; i++) {
            x[i] = i * 7919 % 61 + i / 20 - 7;
            f[i] = (float)(i * 31 % 47) / 8;
            marks[i] = 0;
        }
        counted(sizes[s]);
        marked(sizes[s]);
        either(sizes[s]);
        alone(sizes[s]);
    }
    return 0;
}
