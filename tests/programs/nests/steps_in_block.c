// Loops over steps with little to do, which one block executes, and the same with more than that: substitution, a recursion with a
// sum and scalars of a step, cells that diffuse, rows one behind the other, a phase that not every step has, steps until what they
// compute says that it is enough, with the test in front and behind.
#include <stdio.h>

#define MOST 6000

static unsigned l[300 * 300], x[MOST], y[MOST];

static void fill(int count, unsigned *to, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = seed >> 20;
    }
}

static void show(const char *name, int n, const unsigned *of)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31u + of[i];
    printf("%s %d: %u\n", name, n, sum);
}

static void substitute(int n, unsigned l[n][n], unsigned b[n])
{
    #pragma acc kernels copyin(l[0:n][0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            b[i] -= l[i][j] * b[j];
        b[i] *= 2 * l[i][i] + 1;
    }
}

static void recur(int n, unsigned r[restrict n], unsigned y[restrict n])
{
    unsigned z[n + 1], alpha = 3, beta = 1;
    #pragma acc kernels copyin(r[0:n]) copy(y[0:n]) create(z)
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        unsigned sum = 0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = (r[k] + sum) * (2 * beta + 1);
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
    printf("%u %u\n", alpha, beta);
}

static void diffuse(int steps, int n, unsigned a[restrict n], unsigned b[restrict n])
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i - 1] + 3 * a[i] + a[i + 1];
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i - 1] + 5 * b[i] + b[i + 1] + t;
    }
}

static void rows(int n, unsigned l[n][n])
{
    #pragma acc kernels copy(l[0:n][0:n])
    for (int t = 0; t < 2; t++)
        for (int i = 1; i < n; i += 2)
            for (int j = 0; j < n; j++)
                l[i][j] += l[i - 1][n - 1 - j] * 7 + t;
}

static void now_and_then(int steps, int n, unsigned a[restrict n])
{
    unsigned total = 0;
    #pragma acc kernels copy(a[0:n])
    for (int t = 0; t < steps; t++) {
        if (t % 3 == 1)
            for (int i = 0; i < n; i++)
                a[i] += total;
        unsigned sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i] * (t + 1);
        total += sum;
    }
    printf("%u\n", total);
}

static void settle(unsigned small, int n, unsigned a[restrict n], unsigned b[restrict n])
{
    unsigned most = small + 1;
    int steps = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    while (most > small && steps < 40) {
        most = 0;
        for (int i = 1; i < n - 1; i++) {
            b[i] = (a[i - 1] + a[i + 1]) / 2;
            unsigned change = b[i] > a[i] ? b[i] - a[i] : a[i] - b[i];
            most = change > most ? change : most;
        }
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
        steps++;
    }
    printf("%u %d\n", most, steps);
}

static void settle_once(unsigned small, int n, unsigned a[restrict n], unsigned b[restrict n])
{
    unsigned most;
    int steps = 0;
    #pragma acc kernels copy(a[0:n], b[0:n])
    do {
        most = 0;
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + 3 * a[i] + a[i + 1]) / 5;
        steps++;
        for (int i = 1; i < n - 1; i++) {
            most = a[i] - b[i] > most ? a[i] - b[i] : most;
            a[i] = b[i];
        }
        if (steps > 30)
            break;
        most += steps % 3;
    } while (most > small);
    printf("%u %d\n", most, steps);
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 37, 256, 300};
    for (int at = 0; at < 6; at++) {
        int n = sizes[at];
        fill(n * n, l, 1), fill(n, x, 2);
        substitute(n, (void *)l, x);
        show("substitute", n, x);
        rows(n, (void *)l);
        show("rows", n * n, l);
        if (n > 0) {
            fill(n, y, 3);
            recur(n, x, y);
            show("recur", n, y);
        }
    }
    static const int lengths[] = {0, 1, 2, 3, 130, 1025, MOST};
    for (int at = 0; at < 7; at++) {
        int n = lengths[at];
        fill(n, x, 4), fill(n, y, 5);
        for (int steps = 0; steps < 5; steps += 2) {
            diffuse(steps, n, x, y);
            show("diffuse", n, x);
            now_and_then(steps, n, y);
            show("now and then", n, y);
            settle(3000 >> steps, n, x, y);
            show("settle", n, x);
            settle_once(1000 * steps, n, x, y);
            show("at least once", n, y);
        }
    }
    return 0;
}
