// Values that a part of an iteration hands to another, where the one waits for the iteration before and the other has the work.
#include "nest.h"

static void sum_into_recurrence(int n, unsigned a[n][n], unsigned *restrict x, unsigned *restrict y)
{
    #pragma acc kernels copyin(a[0:n][0:n], x[0:n]) copy(y[0:n])
    for (int i = 1; i < n; i++) {
        unsigned sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = y[i - 1] * 3 + sum;
    }
}

static void recurrence_into_row(int n, unsigned a[n][n], unsigned *restrict y)
{
    #pragma acc kernels copy(a[0:n][0:n], y[0:n])
    for (int i = 2; i < n; i++) {
        unsigned now = y[i - 1] * 3 + y[i - 2];
        y[i] = now;
        for (int j = 0; j < n; j++)
            a[i][j] += now ^ j;
    }
}

// Several values, of several types, into the recurrence and out of it; the loop counts down in steps.
static void there_and_back(int n, unsigned a[n][n], unsigned *restrict x, unsigned *restrict y)
{
    #pragma acc kernels copy(a[0:n][0:n], x[0:n], y[0:n])
    for (int i = n - 1; i > 0; i -= 2) {
        unsigned sum = 0, most = 0;
        for (int j = 0; j < n; j++) {
            sum += a[i][j];
            most = a[i][j] > most ? a[i][j] : most;
        }
        double half = most * 0.5;
        unsigned old = y[i];
        y[i - 1] = y[i] + sum;
        for (int j = 0; j < n; j++)
            a[i][j] = old + (unsigned)half + y[i - 1] + j;
        x[i] = sum;
    }
}

// In a loop over time the values are made anew in each step.
static void again(int steps, int n, unsigned a[n][n], unsigned *restrict y)
{
    #pragma acc kernels copy(a[0:n][0:n], y[0:n])
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n; i++) {
            unsigned sum = t;
            for (int j = 0; j < n; j++)
                sum += a[i][j] * y[i];
            a[i][0] = sum;
            y[i] += y[i - 1] * sum;
        }
}

// Each row has threads by itself: its values stay values.
static void rows(int n, unsigned a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int p = 0; p < n; p++)
        for (int i = 1; i < n; i++) {
            unsigned sum = 0;
            for (int j = 0; j < 3; j++)
                sum += j * i;
            a[p][i] += a[p][i - 1] + sum;
        }
}

// The sum needs what the recurrence has made: they are one circle.
static void circle(int n, unsigned a[n][n], unsigned *restrict y)
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(y[0:n])
    for (int i = 1; i < n; i++) {
        unsigned sum = 0;
        for (int j = 0; j < i; j++)
            sum += a[i][j] * y[j];
        y[i] = sum + 1;
    }
}

static unsigned a[MOST * MOST], x[MOST], y[MOST];

static void reset(int n)
{
    fill(n * n, a, 1);
    fill(n, x, 2);
    fill(n, y, 3);
}

static void print(const char *name, int n)
{
    show(name, n, n * n, a);
    show(name, n, n, x);
    show(name, n, n, y);
}

int main(void)
{
    EACH_SIZE(n)
    {
        reset(n);
        sum_into_recurrence(n, (void *)a, x, y);
        print("sum into recurrence", n);
        reset(n);
        recurrence_into_row(n, (void *)a, y);
        print("recurrence into row", n);
        reset(n);
        there_and_back(n, (void *)a, x, y);
        print("there and back", n);
        reset(n);
        again(3, n, (void *)a, y);
        print("again", n);
        reset(n);
        rows(n, (void *)a);
        print("rows", n);
        reset(n);
        circle(n, (void *)a, y);
        print("circle", n);
    }
    return 0;
}
