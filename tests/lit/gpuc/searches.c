// A loop that looks for the greatest or least and notes where it was is parallel where it does nothing else.
// RUN: gpuc -c -Minfo %s -o /dev/null 2>&1 | FileCheck %s

int least(int n, const float *restrict x)
{
    float best = x[0];
    int at = 0;
    // CHECK: [[# @LINE + 4 ]], Loop is parallelizable
    // CHECK: Generating implicit reduction(min:best)
    // CHECK: Generating implicit reduction(location:at)
#pragma acc kernels copyin(x[0:n])
    for (int i = 1; i < n; i++)
        if (x[i] < best) {
            best = x[i];
            at = i;
        }
    return at;
}

// What each iteration has found so far is written: no search.
int history(int n, const float *restrict x, int *restrict y)
{
    float best = x[0];
    int at = 0;
    // CHECK: [[# @LINE + 2 ]], Loop carried scalar dependence for best prevents parallelization
#pragma acc kernels copyin(x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        if (x[i] < best) {
            best = x[i];
            at = i;
        }
        y[i] = at;
    }
    return at;
}

// The place goes with another comparison.
int other(int n, const float *restrict x, const float *restrict y)
{
    float best = x[0];
    int at = 0;
    // CHECK: [[# @LINE + 2 ]], Loop carried scalar dependence for at prevents parallelization
#pragma acc kernels copyin(x[0:n], y[0:n])
    for (int i = 0; i < n; i++) {
        if (y[i] < best)
            at = i;
        if (x[i] < best)
            best = x[i];
    }
    return at;
}

// Prefix sums are named.
void running(int n, const int *restrict x, int *restrict y)
{
    int sum = 0;
    // CHECK: [[# @LINE + 3 ]], Loop carried scalar dependence for sum prevents parallelization
    // CHECK: each iteration uses what those before it have combined by `+`: prefix sums
#pragma acc kernels copyin(x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

void running_in_memory(int n, const int *restrict x, const int *restrict z, int *restrict y)
{
    // CHECK: [[# @LINE + 3 ]], Loop carried dependence of y prevents parallelization
    // CHECK: each iteration uses what those before it have combined by `+`: prefix sums
#pragma acc kernels copyin(x[0:n], z[0:n]) copy(y[0:n])
    for (int i = 1; i < n; i++)
        y[i] = y[i - 1] + x[i] + z[i];
}
